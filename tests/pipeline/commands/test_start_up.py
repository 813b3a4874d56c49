"""What everybody calls first comes at once: nothing heavy is imported for it."""

import subprocess
import sys

import pytest

from pipeline.cli import COMMANDS, run

HEAVY = (
    "pydantic",
    "rich",
    "yaml",
    "github",
    "requests",
    "anthropic",
    "tree_sitter",
    "cel_expr_python",
    "orjson",
)


@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_version_and_help_import_nothing_heavy(argument: str) -> None:
    program = (
        "import sys\nfrom pipeline.cli import run\n"
        f"code = run([{argument!r}])\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)\n"
        "sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr.strip()) == (0, "[]")


def test_help_names_every_command_in_a_group(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    shown = capsys.readouterr().out
    for name, (group, summary) in COMMANDS.items():
        assert f"{group}:" in shown
        assert summary.split()[0] in shown
        assert f"\n  {name} " in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_of_its_own(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([name, "--help"]) == 0
    assert "Usage: askfirst" in capsys.readouterr().out
