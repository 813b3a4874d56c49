"""The pictures of the README and the docs, taken of the real pages: `make pictures`.

The question and the pull request are those of the demo, on the sandbox's pages; the third is what `askfirst explain` says
of the same issue.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from sandbox.demo import BODY, SAMPLE, TITLE
from tests.github_app.pages_in_browser.browser import BrowserMissing, Page, opened
from tests.github_app.pages_in_browser.served_issue import served_issue
from tests.workflow.act import commit_all

FOLDER = Path(__file__).parents[3] / "docs" / "pictures"
NAMES = ("question", "pull-request", "explain")
LARGEST = 150_000
"""Bytes of a picture: people clone them with everything else."""

_WIDTH = 900
_HIGHEST = 1_000


def main(folder: Path = FOLDER) -> int:
    """Take all pictures. Returns an exit code."""
    try:
        with (
            tempfile.TemporaryDirectory(prefix="askfirst-pictures-") as place,
            opened(Path(place) / "profile", folder) as page,
        ):
            taken = (*_conversation(page, Path(place)), _explanation(page, Path(place)))
    except BrowserMissing as missing:
        print(f"No picture was taken: {missing}", file=sys.stderr)
        return 1
    too_large = [path.name for path in taken if path.stat().st_size > LARGEST]
    if too_large:
        print(
            f"Larger than {LARGEST:,} bytes: {', '.join(too_large)}. Show less of the page.", file=sys.stderr
        )
    return int(bool(too_large))


def _conversation(page: Page, place: Path) -> tuple[Path, Path]:
    with served_issue(place / "app") as issue:
        page.open(issue.address)
        page.click("button", "+ askfirst")
        page.find(".bot .body", "which route")
        page.find(".label", "askfirst:needs-answer")
        question = page.picture(NAMES[0], of="main", width=_WIDTH, height=_HIGHEST)
        page.find("#reply textarea").send_keys("2")
        page.click("#reply button", "Comment")
        page.find("#live .bot:last-child .body", "The change is there")
        page.click(".bot .body a", "#2")
        page.find("h2", "changed files")
        return question, page.picture(NAMES[1], of="main", width=_WIDTH, height=_HIGHEST)


def _explanation(page: Page, place: Path) -> Path:
    checkout, ticket, html = place / "parcels", place / "ticket.md", place / "explain.html"
    shutil.copytree(SAMPLE, checkout)
    commit_all(checkout)
    ticket.write_text(f"# {TITLE}\n\n{BODY}\n", encoding="utf-8")
    command = [str(Path(sys.executable).with_name("askfirst")), "explain", "--repository", str(checkout)]
    subprocess.run([*command, "--issue", str(ticket), "--html", str(html)], check=True, capture_output=True)
    page.open(html.as_uri())
    return page.picture(NAMES[2], of="main", width=_WIDTH, height=_HIGHEST)


if __name__ == "__main__":
    sys.exit(main())
