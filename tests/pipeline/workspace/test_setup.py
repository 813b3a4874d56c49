"""`setup` installs once, with a network and without keys; whoever works on the tree afterwards only reads what it installed."""

from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from pipeline.domain.errors import PreconditionFailed
from pipeline.workspace.paths import WorkspaceTree
from pipeline.workspace.setup import Setup, suggested_setup
from pipeline.workspace.tools import Tools
from pipeline.workspace.worktree import Worktree
from tests.local_http import ANY_PORT, QuietHandler, run_server
from tests.pipeline.workspace.made_repositories import commit, make_repository

pytestmark = pytest.mark.process

INSTALL = """\
import os, pathlib, sys, urllib.request
with open('node_modules.log', 'w') as log:
    log.write('ran')
text = urllib.request.urlopen(sys.argv[1], timeout=5).read().decode() if len(sys.argv) > 1 else 'no network was asked for'
package = pathlib.Path('node_modules/pad')
package.mkdir(parents=True)
(package / 'text').write_text(text)
(package / 'environment').write_text(chr(10).join(sorted(os.environ)))
"""
FILES = {
    "package.json": '{"name": "shop"}',
    "install.py": INSTALL,
    "fetch.py": INSTALL.replace("node_modules", "x"),
}
OURS = {"PATH": "/usr/local/bin:/usr/bin:/bin", "ANTHROPIC_API_KEY": "secret-key", "HOME": "/nonexistent"}


@pytest.fixture
def server() -> Iterator[str]:
    class Registry(QuietHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"from the network")

    with run_server(ThreadingHTTPServer(ANY_PORT, Registry)) as url:
        yield f"{url}/"


def setup_of(repository: Path, at: str, cache: Path, *commands: str) -> Setup:
    return Setup(repository, at, commands, cache, OURS)


def test_it_has_a_network_and_no_key_and_the_tests_have_neither(tmp_path: Path, server: str) -> None:
    at = make_repository(tmp_path / "shop", FILES)
    setup = setup_of(tmp_path / "shop", at, tmp_path / "cache", f"python3 install.py {server}")
    worktree = Worktree.create(tmp_path / "shop", at, tmp_path / "worktree", packages_of=setup.tree)
    tools = Tools(worktree, ours=OURS)
    assert tools.run_command("cat node_modules/pad/text").output == "from the network"
    assert "ANTHROPIC_API_KEY" not in tools.run_command("cat node_modules/pad/environment").output
    assert tools.run_command(f"python3 fetch.py {server}").exit_code == 1
    spoilt = tools.run_command("python3 -c \"open('node_modules/pad/text', 'w')\"")
    assert spoilt.exit_code == 1
    assert (setup.tree / "node_modules/pad/text").read_text() == "from the network"


def test_it_runs_again_where_a_file_a_command_or_the_repository_differs(tmp_path: Path) -> None:
    repository, cache = tmp_path / "shop", tmp_path / "cache"
    first = make_repository(repository, FILES)
    tree = setup_of(repository, first, cache, "python3 install.py").tree
    assert setup_of(repository, first, cache, "python3 install.py").tree == tree
    assert setup_of(repository, first, cache, "python3 install.py", "python3 -V").tree != tree
    (repository / "install.py").write_text(INSTALL + "# what a fork adds\n")
    fork = commit(repository, "Code")
    assert setup_of(repository, fork, cache, "python3 install.py").tree != tree


def test_a_fork_with_the_same_files_fills_a_place_of_its_own(tmp_path: Path) -> None:
    repository, cache = tmp_path / "shop", tmp_path / "cache"
    at = make_repository(repository, FILES)
    ours, fork = (
        Setup(repository, at, ("python3 install.py",), cache, OURS, name)
        for name in ("octo/shop", "evil/shop")
    )
    assert ours.tree != fork.tree


def test_python_packages_go_into_an_environment_of_the_project(tmp_path: Path) -> None:
    pyproject = '[project]\nname = "shop"\nversion = "1"\n'
    at = make_repository(
        tmp_path / "shop", {"pyproject.toml": pyproject, "test_a.py": "def test_a(): pass\n"}
    )
    setup = setup_of(tmp_path / "shop", at, tmp_path / "cache", "pip --version")
    worktree = Worktree.create(tmp_path / "shop", at, tmp_path / "worktree", packages_of=setup.tree)
    where = Tools(worktree, ours=OURS).run_command("python3 -c 'import sys; print(sys.prefix)'")
    assert where.output.strip() == str(worktree.tree / ".venv")


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({"uv.lock": ""}, "uv sync --all-extras --all-groups"),
        ({"poetry.lock": "", "package.json": "{}"}, "poetry install --all-extras --all-groups"),
        ({"pnpm-lock.yaml": "", "package.json": "{}"}, "pnpm install --frozen-lockfile"),
        ({"yarn.lock": ""}, "yarn install --frozen-lockfile"),
        ({"package-lock.json": "{}"}, "npm ci"),
        ({"package.json": "{}"}, "npm install"),
        (
            {"pyproject.toml": "[project]\n[project.optional-dependencies]\ntest = []\n"},
            "pip install -e .[test]",
        ),
        (
            {"pyproject.toml": "[project]\n[dependency-groups]\ntests = []\n"},
            "pip install -U pip, pip install -e . --group tests",
        ),
        ({"setup.py": "", "requirements-dev.txt": ""}, "pip install -e . -r requirements-dev.txt"),
        ({"requirements.txt": ""}, "pip install -r requirements.txt"),
        ({"setup.py": ""}, "pip install -e . pytest"),
        ({}, "pip install pytest"),
    ],
)
def test_the_command_that_installs_a_project_comes_from_its_lock_files(
    files: dict[str, str], command: str, tmp_path: Path
) -> None:
    for path, text in files.items():
        (tmp_path / path).write_text(text)
    assert suggested_setup(WorkspaceTree(tmp_path)) == command


def test_what_a_failing_command_has_left_is_not_used(tmp_path: Path) -> None:
    at = make_repository(tmp_path / "shop", FILES)
    for _ in range(2):
        with pytest.raises(PreconditionFailed) as refused:
            _ = setup_of(
                tmp_path / "shop", at, tmp_path / "cache", "python3 install.py", "python3 -c 1/0"
            ).tree
        assert refused.value.message == "The command `python3 -c 1/0` of `setup` ended with exit code 1."
        assert "ZeroDivisionError" in refused.value.why


def test_what_a_failing_command_has_left_read_only_is_taken_away(tmp_path: Path) -> None:
    downloads = "import os; os.makedirs('mod/pad'); open('mod/pad/text', 'w'); os.chmod('mod/pad', 0o500)"
    at = make_repository(tmp_path / "shop", FILES | {"download.py": downloads})
    for _ in range(2):
        with pytest.raises(PreconditionFailed, match="1/0"):
            _ = setup_of(
                tmp_path / "shop", at, tmp_path / "cache", "python3 download.py", "python3 -c 1/0"
            ).tree


@pytest.mark.parametrize("command", ["no-such-program install", "npm ci && npm test"])
def test_what_cannot_be_run_is_said_with_a_line_to_copy(command: str, tmp_path: Path) -> None:
    at = make_repository(tmp_path / "shop", FILES)
    with pytest.raises(PreconditionFailed) as refused:
        _ = setup_of(tmp_path / "shop", at, tmp_path / "cache", command).tree
    assert refused.value.message == f"The command `{command}` of `setup` cannot be run."
    assert "setup: [npm ci]" in refused.value.what_to_do


def test_it_knows_the_proxy_and_the_certificates_but_no_password(tmp_path: Path) -> None:
    ours = OURS | {
        "HTTPS_PROXY": "http://proxy.example.org:3128",
        "HTTP_PROXY": "http://octocat:secret@proxy.example.org:3128",
        "SSL_CERT_FILE": "/etc/ssl/certs/ca-certificates.crt",
        "NODE_EXTRA_CA_CERTS": "/nonexistent/of/this/user.pem",
    }
    at = make_repository(tmp_path / "shop", FILES)
    setup = Setup(tmp_path / "shop", at, ("python3 install.py",), tmp_path / "cache", ours)
    names = (setup.tree / "node_modules/pad/environment").read_text().splitlines()
    assert {"HTTPS_PROXY", "SSL_CERT_FILE"} <= set(names)
    assert not {"HTTP_PROXY", "NODE_EXTRA_CA_CERTS", "ANTHROPIC_API_KEY"} & set(names)
