"""`python -m tests.defences.take_out [WORD]`: each defence, or those whose attack holds the word, is taken out of a copy of
this checkout, and its tests have to fail there. Prints a line for each; the exit code is how many are not missed.
"""

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Defence:
    """A text of a file that keeps an attack out, what stands there without it, and the tests that miss it."""

    attack: str
    file: str
    defence: str
    without: str
    tests: tuple[str, str]

    @property
    def is_there(self) -> bool:
        """Whether the text stands in the file, once."""
        return (ROOT / self.file).read_text(encoding="utf-8").count(self.defence) == 1

    def is_missed(self, copy: Path) -> bool:
        """Whether a test fails in a copy of the checkout without it. The copy is afterwards as it was."""
        file = copy / self.file
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace(self.defence, self.without), encoding="utf-8")
        place, selected = self.tests
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-x",
            "-p",
            "no:cacheprovider",
            place,
            "-k",
            selected,
        ]
        done = subprocess.run(command, cwd=copy, env=_environment(copy), capture_output=True, check=False)
        file.write_text(text, encoding="utf-8")
        return done.returncode == 1


def defences() -> list[Defence]:
    """All of the table."""
    entries = yaml.safe_load((Path(__file__).with_name("defences.yml")).read_text(encoding="utf-8"))
    return [Defence(**{**entry, "tests": tuple(entry["tests"])}) for entry in entries]


def _environment(copy: Path) -> dict[str, str]:
    """Ours, with the copy's modules before the installed ones."""
    return {**os.environ, "PYTHONPATH": str(copy)}


def main() -> int:
    """Try each of them."""
    words = sys.argv[1:]
    not_missed = 0
    with tempfile.TemporaryDirectory(prefix="askfirst-defences-") as folder:
        copy = Path(folder) / "copy"
        subprocess.run(["git", "clone", "--quiet", ROOT, copy], check=True)
        for defence in defences():
            if all(word in defence.attack for word in words):
                is_missed = defence.is_missed(copy)
                not_missed += not is_missed
                print("red " if is_missed else "GREEN", defence.attack, flush=True)
    return not_missed


if __name__ == "__main__":
    sys.exit(main())
