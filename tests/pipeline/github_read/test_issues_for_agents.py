"""What an agent gets to see of the issues on GitHub, and what its words cannot reach."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from pipeline.agents.tools import ReadIssue, SearchIssues
from pipeline.github_read.reader import GitHubReader, plain_words
from pipeline.workbench.history_and_issues import look_at_issues
from pipeline.workspace.paths import CallRefused
from tests.pipeline.github_read.issues_server import REPOSITORY, IssuesServer, issues_on_github

_COMMENT = {"id": 7, "created_at": "2026-11-20T08:00:00Z", "updated_at": "2026-11-20T08:00:00Z"}


@pytest.fixture
def github() -> Iterator[IssuesServer]:
    with issues_on_github() as server:
        server.add(3, "An unknown action answers 500", "Try `fly`.", comments=41)
        server.comments[3] = [
            _COMMENT | {"body": "Seen here too.", "user": {"login": "octocat"}},
            _COMMENT | {"body": "x" * 3000, "user": None},
        ]
        yield server


@pytest.fixture
def reader(github: IssuesServer) -> GitHubReader:
    return GitHubReader(api_url=github.url, token="t", repository=REPOSITORY)


def test_a_search_shows_issues_and_leaves_out_pull_requests(
    github: IssuesServer, reader: GitHubReader
) -> None:
    github.add(4, "Fix it", "", pull_request={"url": "…"})
    github.add(5, "500 again", "", state="closed", state_reason="completed")
    github.found = (3, 4, 5)
    said = look_at_issues(reader, SearchIssues(text="action KeyError"))
    assert said == snapshot("""\
#3 (open) An unknown action answers 500
#5 (closed (completed)) 500 again\
""")
    assert github.queries == ["repo:acme/parcels is:issue action KeyError"]


def test_an_issue_of_another_repository_is_never_shown(github: IssuesServer, reader: GitHubReader) -> None:
    github.add(
        9, "The secret of another repository", "s3cret", repository_url=f"{github.url}/repos/acme/vault"
    )
    github.found = (9,)
    assert look_at_issues(reader, SearchIssues(text="secret")) == "(No issue holds this.)"
    with pytest.raises(CallRefused, match=r"^Issue #9 was moved to another repository\.$"):
        look_at_issues(reader, ReadIssue(number=9))


def test_the_words_of_a_search_are_no_qualifiers_and_no_operators(
    github: IssuesServer, reader: GitHubReader
) -> None:
    look_at_issues(reader, SearchIssues(text='x) OR repo:acme/vault -is:issue "a b" NOT'))
    assert github.queries == snapshot(
        ['repo:acme/parcels is:issue x "OR" "repo:acme/vault" "-is:issue" a b "NOT"']
    )


@given(st.text(max_size=400))
def test_whatever_a_search_says_it_stays_words(text: str) -> None:
    sent = plain_words(text)
    assert len(sent) <= 200
    outside = sent.split('"')[::2]
    assert not any(character in part for part in outside for character in ":()-")


def test_an_issue_is_shown_with_its_first_comments(github: IssuesServer, reader: GitHubReader) -> None:
    said = look_at_issues(reader, ReadIssue(number=3))
    assert said.replace("x" * 2000, "xxx") == snapshot("""\
#3 (open) An unknown action answers 500

Try `fly`.

Comment of octocat:
Seen here too.

Comment of ghost:
xxx
[1000 characters left out]

(and 39 more comments)\
""")


def test_a_search_that_did_not_take_place_is_no_empty_result(
    github: IssuesServer, reader: GitHubReader
) -> None:
    with pytest.raises(CallRefused):
        look_at_issues(None, SearchIssues(text="x"))
    github.refuses = True
    with pytest.raises(CallRefused) as refused:
        look_at_issues(reader, SearchIssues(text="x"))
    assert str(refused.value) == snapshot(
        "GitHub did not answer when asked for the issues of acme/parcels for 'x'."
    )
    with pytest.raises(CallRefused):
        look_at_issues(reader, ReadIssue(number=77))
