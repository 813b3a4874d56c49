"""What everybody calls first comes at once: nothing heavy is imported for it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import github_app.cli
import pipeline.cli
from github_app.commands import askfirst_app
from github_app.start_page import PAGE as APP_PAGE
from pipeline.contract.start_page import StartPage
from tests.pipeline.small_repository import SmallRepository

PROGRAMS = {"askfirst": pipeline.cli, "askfirst-app": github_app.cli}
HEAVY = (
    "anthropic", "cel_expr_python", "click", "cryptography", "dataclasses", "dbos", "flask", "github", "importlib.metadata",
    "inspect", "json", "jwt", "logging", "orjson", "pathlib", "pydantic", "requests", "rich", "sqlalchemy", "subprocess",
    "tree_sitter", "urllib3", "yaml",
)  # fmt: skip


@pytest.mark.parametrize("module", ["pipeline.cli", "github_app.cli"])
@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_version_and_help_import_nothing_heavy(module: str, argument: str) -> None:
    # Not what the start of the interpreter brings along, such as what `.pth` files of an environment import.
    program = (
        f"import sys\nbefore = set(sys.modules)\nfrom {module} import run\n"
        f"code = run([{argument!r}])\n"
        f"print([name for name in {HEAVY!r} if name in set(sys.modules) - before], file=sys.stderr)\n"
        "sys.exit(code)"
    )
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (process.returncode, process.stderr.strip()) == (0, "[]")


@pytest.mark.parametrize("page", [pipeline.cli.PAGE, APP_PAGE], ids=lambda page: page.program)
def test_help_names_every_command_in_a_group(page: StartPage, capsys: pytest.CaptureFixture[str]) -> None:
    assert PROGRAMS[page.program].run(["--help"]) == 0
    shown = capsys.readouterr().out
    for name, (group, summary) in page.commands.items():
        assert f"\n{group}:\n" in shown
        assert [line.split(maxsplit=1) for line in shown.splitlines()].count([name, summary]) == 1
    assert max(map(len, shown.splitlines())) <= 100


def test_the_page_of_the_app_names_the_commands_that_there_are() -> None:
    assert set(APP_PAGE.commands) == set(askfirst_app.commands)


@pytest.mark.parametrize("name", pipeline.cli.PAGE.commands)
def test_every_command_has_help_of_its_own(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert pipeline.cli.run([name, "--help"]) == 0
    assert "Usage: askfirst" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("program", "typed", "meant"), [("askfirst", "evalaute", "evaluate"), ("askfirst-app", "chek", "check")]
)
def test_a_command_that_is_misspelt_is_answered_with_the_one_that_was_meant(
    program: str, typed: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert PROGRAMS[program].run([typed]) == 64
    assert f"Did you mean {meant!r}?" in capsys.readouterr().err


@pytest.mark.parametrize("program", PROGRAMS)
def test_without_arguments_the_page_is_shown_as_a_usage_error(
    program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert PROGRAMS[program].run([]) == 64
    assert f"Usage: {program}" in capsys.readouterr().err


def test_a_shell_completes_commands_with_their_summaries_and_imports_none_for_it() -> None:
    program = (
        "import sys\nfrom pipeline.cli import main\n"
        "try:\n    main()\nfinally:\n    print([n for n in sys.modules if n.startswith('pipeline.commands')], file=sys.stderr)"
    )
    told = {"_ASKFIRST_COMPLETE": "zsh_complete", "COMP_WORDS": "askfirst e", "COMP_CWORD": "1"}
    process = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **told},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert process.stdout.split("\n")[:3] == ["plain", "explain", pipeline.cli.PAGE.commands["explain"][1]]
    assert process.stderr.strip() == "[]"


def test_a_shell_completes_the_options_of_a_command() -> None:
    program = "from pipeline.cli import main; main()"
    told = {"_ASKFIRST_COMPLETE": "bash_complete", "COMP_WORDS": "askfirst run --rep", "COMP_CWORD": "2"}
    process = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **told},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert process.stdout.split() == ["plain,--repository", "plain,--replay"]


def test_processes_of_the_program_import_nothing_from_the_current_folder(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    (checkout / "multiprocessing.py").write_text("print('code of the checkout')\n")
    program = tmp_path / "askfirst"
    program.write_text(
        "import sys\n"
        "from concurrent.futures import ProcessPoolExecutor\n"
        "from contextlib import suppress\n"
        "from multiprocessing import get_context\n"
        "from pipeline.cli import main\n"
        "if __name__ == '__main__':\n"
        "    with suppress(SystemExit):\n"
        "        main()\n"
        "    with ProcessPoolExecutor(1, mp_context=get_context('spawn')) as pool:\n"
        "        print(pool.submit(abs, -1).result())\n"
    )
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(pipeline.cli.__file__).parents[1])}
    process = subprocess.run(
        [sys.executable, program, "--version"],
        cwd=checkout, env=environment, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (process.stdout.splitlines()[1:], process.returncode) == (["1"], 0), process.stderr


@pytest.mark.parametrize(
    ("start", "heavy"),
    [
        ("from pipeline.cli import run; run(['registry', '--help'])", ("orjson", "pipeline.run_record.run_directory", "pipeline.run")),
        ("from pipeline.cli import run; run(['decide', '--help'])", ("orjson", "pipeline.run_record.journal", "pipeline.run")),
        ("import pipeline.mcp_server.server", ("pipeline.run", "pipeline.stages", "pipeline.code_registry", "tree_sitter")),
    ],
)  # fmt: skip
def test_what_runs_nothing_imports_no_run(start: str, heavy: tuple[str, ...]) -> None:
    program = (
        f"import sys\n{start}\nprint([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)"
    )
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert process.stderr.strip() == "[]"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    repository = SmallRepository(tmp_path_factory.mktemp("usage") / "orders")
    repository.commit("Start", {"ticket.md": "# Add a flag\n", "folder/a.py": ""})
    return repository.root


_READS = ("answers", "replay", "resume")


@pytest.mark.parametrize(
    "arguments",
    [
        *(["run", "--issue", "ticket.md", f"--{name}", "missing"] for name in _READS),
        *(["run", "--issue", "ticket.md", f"--{name}", "folder"] for name in _READS),
        ["run", "--issue", "ticket.md", "--record", "missing/replies.jsonl"],
        ["run", "--issue", "ticket.md", "--definition", "missing"],
        ["run", "--issue", "ticket.md", "--run-directory", ".hidden"],
        ["run", "--issue", "missing.md"],
        ["explain", "--issue", "ticket.md", "--answers", "missing"],
        ["explain", "--issue", "ticket.md", "--html", "missing/page.html"],
        ["decide", "2", "--question", "missing", "--by", "octocat"],
        ["registry", "--callers", "missing"],
        ["plan", "--given", "missing"],
        ["evaluate", "--history", "0"],
        ["gate", "report", "missing"],
        ["init", "--action", "octocat/askfirst@main"],
    ],
    ids=" ".join,
)
def test_an_option_that_cannot_be_used_is_a_usage_error_and_leaves_no_folder(
    arguments: list[str], checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(checkout)
    before = sorted(checkout.iterdir())
    assert pipeline.cli.run(arguments) == 64
    assert "Error: " in (shown := capsys.readouterr().err) or "askfirst: " in shown
    assert sorted(checkout.iterdir()) == before
