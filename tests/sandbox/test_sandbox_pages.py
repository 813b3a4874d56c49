"""The pages: what a person reads, and what their forms do."""

import re
import urllib.parse
import urllib.request
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from sandbox import Sandbox
from sandbox.pages.text import render_markdown
from sandbox.world.state import Issue
from tests.sandbox.clients import call

QUESTION = """\
**@octocat, which route should get the flag?** The ticket says “the bulk action”.

**1.** `POST /actions` · **default**

{permalink}

<details>
<summary>Facts I compared</summary>

| | 1 | 2 |
|---|---|---|
| callers | 7 | 1 |

</details>

<!-- askfirst:v1 hidden -->
"""


def submit(github: Sandbox, path: str, origin: str | None = None, **fields: str) -> int:
    data = urllib.parse.urlencode(fields).encode()
    request = urllib.request.Request(github.html_url + path, data)
    if origin:
        request.add_header("Origin", origin)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def read(github: Sandbox, path: str) -> str:
    answer = call("GET", github.html_url + path)
    assert answer.status == 200
    return answer.body.decode()


@pytest.fixture
def issue(github: Sandbox, tmp_path: Path) -> Issue:
    (tmp_path / "actions.py").write_text("a = 1\nb = a < 2\nc = 3\n")
    orders = github.create_repository(
        from_directory=tmp_path, collaborators={"octocat": "write", "reader": "read"}
    )
    return github.open_issue(orders, "Add a <dry_run> flag", "to the `bulk` action")


def test_a_person_reads_labels_and_replies(github: Sandbox, issue: Issue) -> None:
    path = "/acme/orders/issues/1"
    assert "Add a &lt;dry_run&gt; flag" in read(github, "/acme/orders/issues")
    assert "<p>to the <code>bulk</code> action</p>" in read(github, path)
    assert submit(github, path, do="label:askfirst", **{"as": "octocat"}) == 200
    github.wait_until_quiet(settle=0)
    assert submit(github, path, do="comment", body="2\r\nplease", **{"as": "reader"}) == 200
    assert [(c.user.login, c.body) for c in github.comments(issue)] == [("reader", "2\nplease")]
    page = read(github, path)
    assert '<span class="label">askfirst ' in page
    assert 'value="unlabel:askfirst"' in page
    assert 'value="label:bug"' in page
    assert "<p>2<br />\nplease</p>" in page
    assert "latest run" in page


def test_runs_are_shown_with_their_artifacts(github: Sandbox, issue: Issue) -> None:
    github.label(issue)
    github.wait_until_quiet(settle=0)
    run = github.runs(github.repository_of(issue))[0]
    assert "askfirst #1" in read(github, "/acme/orders/actions")
    page = read(github, f"/acme/orders/actions/runs/{run.id}")
    assert f"clarification-{run.id}-1" in page
    link = re.search(r'href="([^"]+/artifacts/\d+)"', page)
    assert link is not None
    assert call("GET", github.html_url + link[1]).body == run.artifacts[0].content


def test_a_question_looks_as_on_github(github: Sandbox, issue: Issue) -> None:
    repository = github.repository_of(issue)
    commit = repository.git.resolve("main")
    permalink = f"{github.html_url}/acme/orders/blob/{commit}/actions.py#L2-L3"
    github.comment(issue, QUESTION.format(permalink=permalink))
    page = read(github, "/acme/orders/issues/1")
    assert '<code><span class="n">2</span>b = a &lt; 2\n<span class="n">3</span>c = 3\n</code>' in page
    assert "<details>" in page
    assert "<td>callers</td>" in page
    shown = page.split("<textarea")[-3].partition('<div class="body">')[2]
    assert "askfirst:v1" not in shown
    assert 'id="L2"' in read(github, f"/acme/orders/blob/{commit}/actions.py")


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "<details open ontoggle=alert(1)>x</details>",
        "![x](http://elsewhere.example/x.png)",
        "<!-- a --><script>alert(1)</script><!-- b",
        "`<script>`",
    ],
)
def test_hostile_text_stays_text(hostile: str) -> None:
    shown = render_markdown(hostile, "http://127.0.0.1/acme/orders", lambda *_: None)
    assert not re.search(r"<(script|img|details\s)|href=\"javascript|<!--", shown)


def test_markdown_is_rendered_like_githubs() -> None:
    text = "see https://example.org/a, or [b](https://example.org/b)\nnext <kbd>x</kbd> <u>y</u> <!-- z -->"
    assert render_markdown(text, "http://127.0.0.1/acme/orders", lambda *_: None) == snapshot(
        """\
<p>see <a href="https://example.org/a">https://example.org/a</a>, or <a href="https://example.org/b">b</a><br />
next <kbd>x</kbd> &lt;u&gt;y&lt;/u&gt; </p>
"""
    )


def test_who_may_not_is_told_so(github: Sandbox, issue: Issue) -> None:
    path = "/acme/orders/issues/1"
    assert submit(github, path, do="label:askfirst", **{"as": "reader"}) == 422
    assert submit(github, path, do="edit", title="Mine", body="", **{"as": "reader"}) == 422
    assert submit(github, path, do="comment", body="2", **{"as": "nobody"}) == 422
    assert (
        submit(github, path, "http://elsewhere.example", do="comment", body="2", **{"as": "octocat"}) == 403
    )
    assert call("GET", f"{github.html_url}/acme/nothing/issues").status == 404
    assert (issue.title, github.labels(issue), github.comments(issue)) == ("Add a <dry_run> flag", set(), [])


def test_an_issue_is_opened_edited_and_closed_on_its_pages(github: Sandbox, issue: Issue) -> None:
    assert submit(github, "/acme/orders/issues", title="Second", body="words", **{"as": "octocat"}) == 200
    second = github.repository_of(issue).issues[2]
    assert (
        submit(github, "/acme/orders/issues/2", do="edit", title="2nd", body="more", **{"as": "octocat"})
        == 200
    )
    comment = github.comment(second, "2?")
    wish = {"do": "edit-comment", "comment": str(comment.id), "body": "2", "as": "octocat"}
    assert submit(github, "/acme/orders/issues/2", **wish) == 200
    assert submit(github, "/acme/orders/issues/2", do="closed", **{"as": "octocat"}) == 200
    assert (second.title, second.body, second.state, comment.body) == ("2nd", "more", "closed", "2")
    assert "acme/orders" in read(github, "/")


def test_a_pull_request_shows_its_diff(github: Sandbox, issue: Issue) -> None:
    orders = github.repository_of(issue)
    main = orders.git.resolve("main")
    topic = orders.git.commit_files(main, {"actions.py": "a = 2\n"}, "Change", "octocat")
    orders.git.set_ref("refs/heads/topic", topic)
    wish = {"title": "Change a", "head": "topic", "base": "main"}
    address = f"{github.api_url}/repos/acme/orders/pulls"
    assert call("POST", address, wish, token=github.token_of("octocat")).status == 201
    page = read(github, "/acme/orders/pull/2")
    assert '<span class="del">-a = 1</span>' in page
    assert '<span class="add">+a = 2</span>' in page
