"""A release up to the upload: what its workflow makes of a checkout."""

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHA = "b2" * 20
VERSION = re.findall(r'VERSION = "([^"]+)"', (ROOT / "pipeline/contract/version.py").read_text())[0]


def prepare(root: Path, *arguments: str) -> int:
    """What the release's workflow runs first, on a copy of the checkout."""
    spec = importlib.util.spec_from_file_location("prepare_release", ROOT / ".ci" / "prepare_release.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    code: int = module.main(root, *arguments)
    return code


def source_files() -> list[str]:
    """The files of this checkout, those that are not committed yet included."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def build_wheel(folder: Path) -> Path:
    """The wheel of a release, from a copy of this checkout below `folder`."""
    source = folder / "source"
    for name in source_files():
        if not name.startswith("tests/"):
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, source / name)
    assert prepare(source, "octocat/askfirst", SHA, f"v{VERSION}") == 0
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(build, cwd=source, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built
