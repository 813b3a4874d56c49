"""Make a checkout into the source of one release: `prepare_release.py OWNER/REPO SHA TAG`, before the wheel is built.

A commit cannot name itself. So the release writes `project.urls`, the one place from which the programs read where they
come from (`askfirst init` pins the commit in `Source`), and makes the links of the README absolute.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_PICTURE = re.compile(r"(!\[[^\]]*)\]\((?!https?:)([^)\s]+)\)")
_LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)\s]+)\)")


def main(root: Path, repository: str, sha: str, tag: str) -> int:
    """Change the files of the checkout. Returns an exit code."""
    version = re.search(
        r'^VERSION = "([^"]+)"', (root / "pipeline/contract/version.py").read_text(), re.MULTILINE
    )
    if version is None or tag != f"v{version[1]}":
        print(f"the tag {tag} does not fit version {version[1] if version else 'unknown'} of the source")
        return 1
    if not re.fullmatch(r"[\w-]+/[\w.-]+", repository) or not re.fullmatch(r"(?!0{40})[0-9a-f]{40}", sha):
        print(f"{repository}@{sha} names no commit of a repository")
        return 1
    home = f"https://github.com/{repository}"
    readme = root / "README.md"
    text = readme.read_text(encoding="utf-8")
    text = _PICTURE.sub(rf"\1](https://raw.githubusercontent.com/{repository}/{tag}/\2)", text)
    readme.write_text(_LINK.sub(rf"]({home}/blob/{tag}/\1)", text), encoding="utf-8")
    project = root / "pyproject.toml"
    urls = "\n".join(
        (
            "[project.urls]",
            f'Homepage = "{home}"',
            f'Documentation = "{home}/blob/{tag}/docs/start.md"',
            f'Changelog = "{home}/blob/{tag}/CHANGELOG.md"',
            f'Issues = "{home}/issues"',
            f'Source = "{home}/tree/{sha}"',
        )
    )
    text = project.read_text(encoding="utf-8")
    project.write_text(text.replace("[project.scripts]", f"{urls}\n\n[project.scripts]", 1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(ROOT, *sys.argv[1:4]))
