"""A run on a machine of one's own, whose disk outlives it: `python kept_disk.py FOLDER RUN_DIRECTORY COMMAND…`.

The run directory that the run before left in the folder is put back, and the command is told to resume it.
"""

import shutil
import subprocess
import sys
from pathlib import Path


def main(kept: Path, directory: Path, command: list[str]) -> int:
    if kept.exists():
        shutil.copytree(kept, directory)
        command = [*command, "--resume", str(directory)]
    code = subprocess.run(command, check=False).returncode
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(directory, kept)
    return code


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]))
