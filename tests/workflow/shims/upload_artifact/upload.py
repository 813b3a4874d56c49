"""The rules of actions/upload-artifact v7 that decide what an artifact holds: hidden files, roots, names, nothing found."""

import io
import os
import shutil
import sys
import urllib.request
import zipfile
from pathlib import Path


def files_under(path: Path) -> list[Path]:
    """All files of a folder, or the file itself; nothing whose own name, or a folder's below, begins with a dot."""
    if path.name.startswith("."):
        return []
    if path.is_dir():
        return [file for child in sorted(path.iterdir()) for file in files_under(child)]
    return [path] if path.is_file() else []


def root_of(searched: list[Path], found: list[Path]) -> Path:
    """What is cut off the members' names: the folders that all searched paths share, or a single file's folder."""
    if len(searched) > 1:
        return Path(os.path.commonpath(searched))
    return found[0].parent if found == searched else searched[0]


def main() -> int:
    name, on_nothing = os.environ["NAME"], os.environ["IF_NO_FILES_FOUND"]
    searched = [Path(line.strip()) for line in os.environ["PATHS"].splitlines() if line.strip()]
    found = [file for path in searched for file in files_under(path)]
    if not found:
        print(f"no files for artifact {name}")
        return 1 if on_nothing == "error" else 0
    artifact = Path(os.environ["TEST_ARTIFACTS"]) / name
    artifact.mkdir()  # fails for a name that exists, as GitHub answers 409
    for file in found:
        target = artifact / file.relative_to(root_of(searched, found))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    if address := os.environ.get("TEST_UPLOADS"):
        send(artifact, f"{address}/{os.environ['GITHUB_RUN_ID']}/{name}")
    return 0


def send(artifact: Path, address: str) -> None:
    """Let the GitHub of the test have the artifact now, as the real one has it before the job ends."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(file for file in artifact.rglob("*") if file.is_file()):
            archive.write(file, file.relative_to(artifact))
    urllib.request.urlopen(urllib.request.Request(address, packed.getvalue(), method="POST"), timeout=30)


if __name__ == "__main__":
    sys.exit(main())
