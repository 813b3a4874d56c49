"""A change becomes one commit of the bot on a branch of its own, once, or it is refused with the reason."""

import base64
import json
import os
import subprocess
from dataclasses import replace

import pytest

from github_app.ports.github import GitHubUnavailable, UnpublishableChange, WantedCommit
from pipeline.contract.change import FileChange
from tests.github_app.gateway.conftest import Gateway

BRANCH = "askfirst/418-add-a-dry-run-flag"


def file(path: str, text: str | None, mode: str = "100644") -> FileChange:
    content = None if text is None else text.encode()
    return FileChange.model_validate({"path": path, "mode": mode, "content": None}).model_copy(
        update={"content": content}
    )


@pytest.fixture
def base(gateway: Gateway) -> str:
    files = {"src/app.py": "print(1)\n", "src/old.py": "gone soon\n", "README.md": "# Orders\n"}
    return gateway.github.commit(gateway.orders, files)


def wanted(base: str, *files: FileChange, message: str = "Add a dry_run flag\n\nRun 1.1") -> WantedCommit:
    return WantedCommit(base, files or (file("src/app.py", "print(2)\n"),), message, BRANCH)


def refusal(gateway: Gateway, request: WantedCommit) -> str:
    with pytest.raises(UnpublishableChange) as caught:
        gateway.publisher.start_branch(gateway.repository, request)
    return str(caught.value)


def heads(gateway: Gateway) -> dict[str, str]:
    return gateway.orders.git.refs("refs/heads/askfirst/")


def test_a_change_becomes_one_commit_of_the_bot_with_its_modes(gateway: Gateway, base: str) -> None:
    files = (
        file("src/app.py", "print(2)\n"), file("bin/run", "#!/bin/sh\n", "100755"), file("src/old.py", None),
    )  # fmt: skip
    made = gateway.publisher.start_branch(gateway.repository, wanted(base, *files))
    assert (made.branch, made.base) == (BRANCH, base)
    git = gateway.orders.git
    commit = git.commit(made.sha)
    assert commit.parents == (base,)
    assert commit.author.name == "askfirst[bot]"
    assert commit.committer.name == "GitHub"
    assert git.entry(made.sha, "bin/run").mode == "100755"
    assert {change.path: change.status for change in git.changes(base, made.sha)} == {
        "bin/run": "added", "src/app.py": "modified", "src/old.py": "removed",
    }  # fmt: skip
    [posted] = [
        one for one in gateway.github.requests if one.method == "POST" and one.path.endswith("/git/commits")
    ]
    assert not {"author", "committer", "signature"} & set(json.loads(posted.request_body))


def test_the_token_that_writes_contents_is_for_one_repository_and_ends_with_the_call(
    gateway: Gateway, base: str
) -> None:
    gateway.publisher.start_branch(gateway.repository, wanted(base))
    writing = [t for t in gateway.github.world.tokens.values() if t.permissions.get("contents") == "write"]
    assert [(token.repository_ids, token.is_revoked) for token in writing] == [
        ({gateway.repository.id}, True)
    ]
    assert set(writing[0].permissions) == {"contents", "metadata"}


def test_the_same_commit_is_found_and_not_made_again(gateway: Gateway, base: str) -> None:
    first = gateway.publisher.start_branch(gateway.repository, wanted(base))
    gateway.github.commit(gateway.orders, {"README.md": "# Orders, newer\n"})
    assert gateway.publisher.start_branch(gateway.repository, wanted(base)) == first
    assert list(heads(gateway)) == [f"refs/heads/{BRANCH}"]


def test_a_commit_whose_answer_was_lost_is_found(gateway: Gateway, base: str) -> None:
    gateway.github.faults.fail("POST /repos/*/git/refs", status=502, after_effect=True)
    with pytest.raises(GitHubUnavailable):
        gateway.publisher.start_branch(gateway.repository, wanted(base))
    made = gateway.publisher.start_branch(gateway.repository, wanted(base))
    assert heads(gateway) == {f"refs/heads/{BRANCH}": made.sha}


def test_a_commit_with_one_of_ours_on_top_is_found_and_the_branch_is_not_made_twice(
    gateway: Gateway, base: str
) -> None:
    publisher, repository = gateway.publisher, gateway.repository
    first = publisher.start_branch(repository, wanted(base))
    on_top = WantedCommit(
        first.sha, (file(".github/askfirst/decisions.yml", "version: 1\n"),), "Keep it", BRANCH
    )
    second = publisher.continue_branch(repository, on_top)
    found = publisher.start_branch(repository, wanted(base))
    assert (found.branch, found.sha, found.base) == (BRANCH, second.sha, base)
    assert publisher.continue_branch(repository, wanted(base)).sha == second.sha


def test_the_text_of_a_file_is_read_at_a_commit(gateway: Gateway, base: str) -> None:
    gateway.github.commit(gateway.orders, {"README.md": "# Orders, newer\n"})
    publisher, repository = gateway.publisher, gateway.repository
    logo = FileChange(path="logo", content=base64.b64encode(b"\xff\x00"))
    made = publisher.start_branch(repository, wanted(base, logo))
    assert publisher.text_of(repository, base, "README.md") == "# Orders\n"
    assert publisher.text_of(repository, base, "src/none.py") is None
    for no_text in ("src", "logo"):
        with pytest.raises(UnpublishableChange, match="no file of UTF-8 text"):
            publisher.text_of(repository, made.sha, no_text)


def test_another_run_of_the_same_issue_gets_a_branch_of_its_own(gateway: Gateway, base: str) -> None:
    gateway.publisher.start_branch(gateway.repository, wanted(base))
    second = gateway.publisher.start_branch(gateway.repository, wanted(base, message="Again\n\nRun 2.1"))
    assert second.branch == f"{BRANCH}-2"


def test_a_base_that_moved_elsewhere_is_followed(gateway: Gateway, base: str) -> None:
    newest = gateway.github.commit(gateway.orders, {"README.md": "# Orders, newer\n"})
    made = gateway.publisher.start_branch(gateway.repository, wanted(base))
    assert made.base == newest
    assert [change.path for change in gateway.orders.git.changes(newest, made.sha)] == ["src/app.py"]


def test_a_base_that_moved_in_the_same_file_is_a_clear_stop(gateway: Gateway, base: str) -> None:
    newest = gateway.github.commit(gateway.orders, {"src/app.py": "print('theirs')\n"})
    assert refusal(gateway, wanted(base)) == (
        f"src/app.py was changed on main since the run read it ({base[:7]}, now {newest[:7]})"
    )
    assert heads(gateway) == {}


def test_attack_25_a_path_through_a_link_out_of_the_tree_is_refused(gateway: Gateway, base: str) -> None:
    with_links = link(gateway, base, {"out": "/etc", "src/alias.py": "../../secret"})
    assert refusal(gateway, wanted(with_links, file("out/passwd", "x"))) == (
        "out/passwd leads through out, which is a link"
    )
    assert refusal(gateway, wanted(with_links, file("src/alias.py", "x"))) == (
        "src/alias.py is a link, and only plain files are changed"
    )
    assert "leads through app.py, which is a file" in refusal(
        gateway, wanted(base, file("src/app.py/x", "x"))
    )
    assert "is a folder" in refusal(gateway, wanted(base, file("src", "x")))
    assert heads(gateway) == {}


def test_a_change_that_changes_nothing_is_refused(gateway: Gateway, base: str) -> None:
    assert refusal(gateway, wanted(base, file("src/app.py", "print(1)\n"))) == "it changes nothing"
    assert refusal(gateway, wanted(base, file("src/none.py", None))) == (
        "it deletes src/none.py, which does not exist"
    )


def test_a_second_commit_continues_the_branch_once(gateway: Gateway, base: str) -> None:
    first = gateway.publisher.start_branch(gateway.repository, wanted(base))
    again = wanted(first.sha, file("src/app.py", "print(3)\n"), message="Name it\n\nRun 2.1")
    second = gateway.publisher.continue_branch(gateway.repository, again)
    assert gateway.publisher.continue_branch(gateway.repository, again) == second
    assert gateway.orders.git.commits_between(base, BRANCH) == [first.sha, second.sha]


def test_a_branch_that_others_moved_is_followed_or_left_alone(gateway: Gateway, base: str) -> None:
    first = gateway.publisher.start_branch(gateway.repository, wanted(base))
    git = gateway.orders.git
    theirs = git.commit_files(first.sha, {"README.md": "# By hand\n"}, "By hand", "octocat")
    git.set_ref(f"refs/heads/{BRANCH}", theirs)
    again = wanted(first.sha, file("src/app.py", "print(3)\n"), message="Name it\n\nRun 2.1")
    assert gateway.publisher.continue_branch(gateway.repository, again).base == theirs
    hand = git.commit_files(git.resolve(BRANCH), {"src/app.py": "by hand"}, "By hand", "octocat")
    git.set_ref(f"refs/heads/{BRANCH}", hand)
    late = wanted(theirs, file("src/app.py", "print(4)\n"), message="Late\n\nRun 3.1")
    with pytest.raises(UnpublishableChange, match="was changed on askfirst/418"):
        gateway.publisher.continue_branch(gateway.repository, late)
    alone = replace(late, base=theirs, files=(file("src/new.py", "1\n"),), follows_pushes=False)
    with pytest.raises(UnpublishableChange, match="somebody has pushed"):
        gateway.publisher.continue_branch(gateway.repository, alone)
    on_top = replace(alone, base=hand)
    made = gateway.publisher.continue_branch(gateway.repository, on_top)
    assert gateway.publisher.continue_branch(gateway.repository, on_top) == made
    git.delete_ref(f"refs/heads/{BRANCH}")
    with pytest.raises(UnpublishableChange, match="is gone"):
        gateway.publisher.continue_branch(gateway.repository, late)


def test_a_draft_is_opened_and_found_with_its_reviews(gateway: Gateway, base: str) -> None:
    made = gateway.publisher.start_branch(gateway.repository, wanted(base))
    pulls, repository = gateway.pull_requests, gateway.repository
    assert pulls.find(repository, made) is None
    number = pulls.open(repository, made.branch, "Add a dry_run flag", "Closes #418")
    assert pulls.find(repository, made) == number
    [pull] = gateway.github.pull_requests(gateway.orders)
    assert pull.pull_request is not None
    assert (pull.pull_request.draft, pull.user.login) == (True, "askfirst[bot]")
    now = pulls.now(repository, number)
    assert now is not None
    assert (now.branch, now.head, now.is_open, now.head_repository_id) == (
        BRANCH,
        made.sha,
        True,
        repository.id,
    )
    review = gateway.github.review(
        pull, "REQUEST_CHANGES", "Please rename it", remarks=[("src/app.py", 1, "this one")]
    )
    found = pulls.review(repository, number, review.id)
    assert found is not None
    assert (found.state, found.body, found.author.login) == (
        "changes_requested",
        "Please rename it",
        "octocat",
    )
    assert [(path, text) for _, path, text in found.remarks] == [("src/app.py", "this one")]
    assert pulls.review(repository, number, 1) is None
    assert pulls.now(repository, 10**6) is None


def test_a_pull_request_of_an_earlier_branch_of_the_same_name_is_not_found(
    gateway: Gateway, base: str
) -> None:
    """A branch is deleted with its pull request; the next run about the issue makes one of the same name."""
    pulls, repository = gateway.pull_requests, gateway.repository
    earlier = gateway.publisher.start_branch(repository, wanted(base))
    number = pulls.open(repository, earlier.branch, "Add a dry_run flag", "Closes #418")
    [pull] = gateway.github.pull_requests(gateway.orders)
    gateway.github.close_issue(pull)
    gateway.orders.git.delete_ref(f"refs/heads/{earlier.branch}")
    later = gateway.publisher.start_branch(repository, wanted(base, message="Once more"))
    assert later.branch == earlier.branch
    assert pulls.find(repository, later) is None
    assert pulls.find(repository, earlier) == number


def link(gateway: Gateway, base: str, links: dict[str, str]) -> str:
    """A commit on the default branch with links in it."""
    directory = gateway.orders.git.directory
    environment = {**os.environ, "GIT_DIR": str(directory), "GIT_INDEX_FILE": str(directory / "index-links")}
    subprocess.run(["git", "read-tree", base], env=environment, check=True)
    for path, target in links.items():
        sha = gateway.orders.git.create_blob(target.encode())
        arguments = ["git", "update-index", "--add", "--cacheinfo", f"120000,{sha},{path}"]
        subprocess.run(arguments, env=environment, check=True)
    done = subprocess.run(["git", "write-tree"], env=environment, check=True, capture_output=True, text=True)
    commit = gateway.orders.git.commit(base)
    sha = gateway.orders.git.create_commit("Links", done.stdout.strip(), (base,), commit.author)
    gateway.orders.git.set_ref("refs/heads/main", sha)
    return sha
