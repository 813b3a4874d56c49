"""Installed packages lie beside the files of a worktree: tests run with them, on the changed code, and change nothing of them."""

import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.workspace.changes import difference
from pipeline.workspace.tools import Tools
from pipeline.workspace.worktree import Worktree
from tests.pipeline.workspace.made_repositories import make_repository

WORKSPACE = {
    "package.json": '{"name": "shop", "workspaces": ["packages/*"], "scripts": {"test": "node check.mjs"}}',
    "packages/money/package.json": '{"name": "@shop/money", "main": "index.js"}',
    "packages/money/index.js": "exports.currency = 'EUR';\n",
    "packages/api/package.json": '{"name": "@shop/api"}',
    "packages/api/check.mjs": "import money from '@shop/money'; import pad from 'pad'; console.log(pad(money.currency));\n",
}
"""A repository of packages whose `node_modules` no commit holds, and no `.gitignore` names."""


def write(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


@pytest.fixture
def workspace(tmp_path: Path) -> Worktree:
    checkout = tmp_path / "shop"
    commit = make_repository(checkout, WORKSPACE)
    installed = {
        "node_modules/.pnpm/pad@1/node_modules/pad/package.json": '{"name": "pad", "main": "index.js"}',
        "node_modules/.pnpm/pad@1/node_modules/pad/index.js": "module.exports = text => `[${text}]`;\n",
        "node_modules/tap/package.json": '{"name": "tap"}',
        "node_modules/tap/cli.js": "#!/usr/bin/env node\nconsole.log('tap runs');\n",
        "node_modules/.cache/old": "",
    }
    write(checkout, installed)
    (checkout / "node_modules/tap/cli.js").chmod(0o755)
    (checkout / "node_modules/.bin").mkdir()
    (checkout / "node_modules/.bin/tap").symlink_to("../tap/cli.js")
    (checkout / "packages/api/node_modules/@shop").mkdir(parents=True)
    (checkout / "packages/api/node_modules/@shop/money").symlink_to("../../../money")
    (checkout / "packages/api/node_modules/pad").symlink_to(
        "../../../node_modules/.pnpm/pad@1/node_modules/pad"
    )
    return Worktree.create(checkout, commit, tmp_path / "worktree", packages_of=checkout)


@pytest.mark.process
def test_a_package_of_the_same_repository_is_the_changed_one(workspace: Worktree) -> None:
    tools = Tools(workspace)
    tools.edit_file("packages/money/index.js", [("'EUR'", "'SEK'")])
    ran = tools.run_command("node packages/api/check.mjs")
    assert (ran.exit_code, ran.output) == (0, "[SEK]\n")


@pytest.mark.process
def test_programs_of_packages_run(workspace: Worktree) -> None:
    ran = Tools(workspace).run_command("node_modules/.bin/tap")
    assert (ran.exit_code, ran.output) == (0, "tap runs\n")


@pytest.mark.process
def test_what_a_process_writes_into_packages_reaches_neither_the_checkout_nor_the_change(
    workspace: Worktree,
) -> None:
    tools = Tools(workspace)
    made = tools.run_command("mkdir node_modules/.cache")
    spoilt = tools.run_command("node -e \"require('fs').writeFileSync('node_modules/tap/cli.js', 'spoilt')\"")
    assert (made.exit_code, spoilt.exit_code) == (0, 1)
    assert "spoilt" not in (workspace.repository / "node_modules/tap/cli.js").read_text()
    assert difference(workspace).files == []
    assert difference(workspace).refusals == []


@pytest.mark.process
def test_a_new_round_has_them_again(workspace: Worktree) -> None:
    before = names(workspace.tree / "node_modules")
    Tools(workspace).run_command("rm -r node_modules")
    workspace.reset()
    assert names(workspace.tree / "node_modules") == before == [".bin", ".pnpm", "tap"]


@pytest.mark.process
def test_an_environment_of_python_imports_the_changed_code(tmp_path: Path) -> None:
    checkout = tmp_path / "orders"
    commit = make_repository(
        checkout, {"pyproject.toml": '[project]\nname = "orders"\n', "src/orders.py": "CURRENCY = 'EUR'\n"}
    )
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", checkout / ".venv"], check=True)
    [library] = (checkout / ".venv").glob("lib/python*/site-packages")
    write(library, {"pad.py": "def pad(text):\n    return f'[{text}]'\n", "_orders.pth": f"{checkout}/src\n"})
    script = checkout / ".venv/bin/show"
    script.write_text(f"#!{checkout}/.venv/bin/python\nimport orders, pad\nprint(pad.pad(orders.CURRENCY))\n")
    script.chmod(0o755)
    worktree = Worktree.create(checkout, commit, tmp_path / "worktree", packages_of=checkout)
    tools = Tools(worktree)
    tools.edit_file("src/orders.py", [("'EUR'", "'SEK'")])
    asked = tools.run_command("python3 -c 'import orders, pad; print(pad.pad(orders.CURRENCY))'")
    shown = tools.run_command("show")
    assert (asked.exit_code, asked.output) == (0, "[SEK]\n")
    assert (shown.exit_code, shown.output) == (0, "[SEK]\n")


def test_what_git_holds_itself_and_what_nothing_asks_for_is_left_alone(tmp_path: Path) -> None:
    checkout = tmp_path / "go"
    files = {"go.mod": "module example.org/go\n", "vendor/modules.txt": "", "notes/readme.md": ""}
    commit = make_repository(checkout, files)
    write(checkout, {"node_modules/pad/index.js": "", "notes/.venv/pyvenv.cfg": "", "vendor/new/file.go": ""})
    worktree = Worktree.create(checkout, commit, tmp_path / "worktree", packages_of=checkout)
    assert worktree.packages.folders == ()
    assert names(worktree.tree) == ["go.mod", "notes", "vendor"]
