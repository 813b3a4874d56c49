"""`askfirst explain` as a process: the table, and the same as one page."""

import re
import subprocess
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from tests.journeys.commands import SCRIPT
from tests.journeys.conftest import scrubbed
from tests.workflow.act import commit_all

TICKET = (
    "# Add a dry_run flag to the bulk action\n\nPlease add a `dry_run` flag: <img src=x>nothing is written.\n"
)


def explain(
    repository: Path, tmp_path: Path, *options: str | Path, ticket: str = TICKET
) -> subprocess.CompletedProcess[str]:
    issue = tmp_path / "ticket.md"
    issue.write_text(ticket, encoding="utf-8")
    given: list[str | Path] = ["--repository", repository, "--issue", issue, *options]
    environment = scrubbed(HOME=str(tmp_path), COLUMNS="120")
    return subprocess.run([SCRIPT, "explain", *given], env=environment, capture_output=True, text=True)


def test_the_text_says_first_what_a_run_would_ask_and_why(orders: Path, tmp_path: Path) -> None:
    done = explain(orders, tmp_path)
    assert done.returncode == 0
    assert done.stdout.split("\n\n")[0] == snapshot("""\
It asks: Which route should get dry_run?
Two routes fit, and no word in the ticket picks one.
  1. POST /actions (default)  handler: bulk_action
  2. POST /actions/stream  handler: stream_bulk_action
Why the default: The issue does not mention “stream”, which is what sets POST /actions/stream apart.\
""")


def test_the_page_is_written_beside_the_text(orders: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = explain(orders, tmp_path, "--html", page)
    assert (done.returncode, done.stderr) == (0, f"Written to {page}\n")
    assert done.stdout == explain(orders, tmp_path).stdout
    html = page.read_text(encoding="utf-8")
    assert html.startswith("<!doctype html>")
    assert "&lt;img src=x&gt;" in html
    assert "<img" not in html


def test_a_token_in_the_ticket_is_in_nothing_that_is_shown(orders: Path, tmp_path: Path) -> None:
    page, token = tmp_path / "page.html", "npm_" + "a1B2" * 9
    ticket = TICKET.replace("`dry_run`", f"`dry_run` and `{token}`")
    done = explain(orders, tmp_path, "--html", page, "--json", ticket=ticket)
    html = page.read_text(encoding="utf-8")
    assert "[redacted]" in done.stdout
    assert "[redacted]" in html
    assert token not in done.stdout + done.stderr + html


def test_a_page_that_cannot_be_written_is_a_usage_error(orders: Path, tmp_path: Path) -> None:
    assert explain(orders, tmp_path, "--html", tmp_path / "no" / "page.html").returncode == 64


def test_the_first_line_says_what_a_run_would_refuse(orders: Path, tmp_path: Path) -> None:
    assert "would not start" not in explain(orders, tmp_path).stdout
    (orders / "README.md").write_text("changed\n", encoding="utf-8")
    changed = explain(orders, tmp_path)
    assert changed.returncode == 0
    bare = tmp_path / "bare"
    bare.mkdir()
    (bare / "orders.py").write_text("def list_orders(): ...\n", encoding="utf-8")
    commit_all(bare)
    page = tmp_path / "page.html"
    without_tests = explain(bare, tmp_path, "--html", page)
    assert without_tests.returncode == 0
    assert re.sub(r"commit \w{7}", "commit abcdef0", changed.stdout.splitlines()[0]) == snapshot(
        "`askfirst run` would not start: 1 tracked file differs from commit abcdef0: README.md. Commit or stash them: git add --update && git stash"
    )
    assert without_tests.stdout.splitlines()[0] == snapshot(
        "`askfirst run` would not start: The repository has no test files. Add at least one test where its runner looks for it (tests/test_*.py, *.test.ts, *_test.go, *_spec.rb, *Test.java, …), commit it and run it again."
    )
    assert "would not start: The repository has no test files." in page.read_text(encoding="utf-8")


def test_a_path_is_whole_at_any_width(tmp_path: Path) -> None:
    path = "packages/shopping/applications/counter/components/refunds.ts"
    file = tmp_path / "shop" / path
    file.parent.mkdir(parents=True)
    file.write_text("export function refund(amount: number) { return amount }\n", encoding="utf-8")
    commit_all(tmp_path / "shop")
    issue = tmp_path / "ticket.md"
    issue.write_text(f"# Print the refund\n\nSee `{path}`.\n", encoding="utf-8")
    done = subprocess.run(
        [SCRIPT, "explain", "--repository", tmp_path / "shop", "--issue", issue],
        env=scrubbed(HOME=str(tmp_path), COLUMNS="60"), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert any(line.endswith(path) for line in done.stdout.split("Places")[1].splitlines())


@pytest.mark.parametrize("page", ["", "missing/page.html"])
def test_a_page_that_cannot_be_written_is_refused_before_anything_is_read(
    orders: Path, tmp_path: Path, page: str
) -> None:
    done = explain(orders, tmp_path, "--html", tmp_path / page)
    assert (done.returncode, done.stdout) == (64, "")
    assert "folder" in done.stderr
