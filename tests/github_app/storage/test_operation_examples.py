"""The examples for operators fit their tools, and name only settings and commands that there are."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from github_app.start_page import PAGE

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "docs/examples/operate"
PAGES = [ROOT / "docs/app.md"]


def test_the_compose_files_fit_the_schema_of_compose() -> None:
    program = str(Path(sys.executable).with_name("check-jsonschema"))
    files = [str(path) for path in sorted(EXAMPLES.glob("compose*.yaml"))]
    assert len(files) == 2
    command = [program, "--builtin-schema", "vendor.compose-spec", *files]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed here")
def test_the_unit_is_one_that_systemd_understands(tmp_path: Path) -> None:
    unit = tmp_path / "askfirst.service"
    text = (EXAMPLES / "askfirst.service").read_text()
    unit.write_text(text.replace("/opt/askfirst/bin/askfirst-app", sys.executable))
    result = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")


def test_every_setting_that_is_named_is_read_and_every_one_that_is_read_is_named() -> None:
    named = set(re.findall(r"ASKFIRST_[A-Z_]+", "".join(page.read_text() for page in PAGES)))
    read = set(re.findall(r'"(ASKFIRST_[A-Z_]+)"', (ROOT / "github_app/settings.py").read_text()))
    assert read <= named
    examples = "".join(path.read_text() for path in EXAMPLES.iterdir())
    assert set(re.findall(r"ASKFIRST_[A-Z_]+", examples)) <= read


def test_every_command_that_is_named_exists() -> None:
    text = (ROOT / "docs/app.md").read_text()
    assert set(re.findall(r"askfirst-app ([a-z]+)", text)) <= set(PAGE.commands)
