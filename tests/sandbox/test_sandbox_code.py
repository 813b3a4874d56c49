"""Code over REST: contents, the Git data API, pull requests and reviews."""

from pathlib import Path

import pytest
from github import GithubException, InputGitTreeElement, UnknownObjectException
from github.Repository import Repository

from sandbox import Sandbox
from tests.sandbox.clients import as_app


def publish(repository: Repository, branch: str, files: dict[str, str]) -> str:
    """One commit through the Git data API, the way the App publishes."""
    base = repository.get_git_ref("heads/main").object.sha
    elements = [InputGitTreeElement(path, "100644", "blob", content=text) for path, text in files.items()]
    tree = repository.create_git_tree(elements, repository.get_git_tree(base))
    commit = repository.create_git_commit("Add the flag", tree, [repository.get_git_commit(base)])
    repository.create_git_ref(f"refs/heads/{branch}", commit.sha)
    return commit.sha


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "orders.py").write_text("total = 1\n")
    (tmp_path / "README.md").write_text("Orders\n")
    return tmp_path


def test_files_and_folders_are_read(described: Sandbox, sample: Path) -> None:
    described.create_repository(from_directory=sample)
    repository = as_app(described).get_repo("acme/orders")
    file = repository.get_contents("src/orders.py")
    assert not isinstance(file, list)
    assert file.decoded_content == b"total = 1\n"
    folder = repository.get_contents("src")
    assert isinstance(folder, list)
    assert [entry.path for entry in folder] == ["src/orders.py"]
    tree = repository.get_git_tree("main", recursive=True)
    assert {entry.path for entry in tree.tree} >= {"README.md", "src", "src/orders.py"}
    with pytest.raises(UnknownObjectException):
        repository.get_contents("src/nothing.py")


def test_a_branch_has_one_open_pull_request(github: Sandbox, sample: Path) -> None:
    github.create_repository(from_directory=sample)
    repository = as_app(github).get_repo("acme/orders")
    publish(repository, "topic", {"a": "b"})
    repository.create_pull(base="main", head="topic", title="One", body="")
    with pytest.raises(GithubException) as refused:
        repository.create_pull(base="main", head="topic", title="Two", body="")
    assert (refused.value.status, refused.value.data["errors"][0]["message"]) == (
        422,
        "A pull request already exists for acme:topic.",
    )


def test_a_ref_only_moves_forward(described: Sandbox, sample: Path) -> None:
    orders = described.create_repository(from_directory=sample)
    repository = as_app(described).get_repo("acme/orders")
    publish(repository, "topic", {"a": "b"})
    described.commit(orders, {"README.md": "Later\n"})
    ref = repository.get_git_ref("heads/topic")
    newest = orders.git.resolve("refs/heads/main")
    with pytest.raises(GithubException) as refused:
        ref.edit(newest)
    assert refused.value.status == 422
    ref.edit(newest, force=True)
    assert [r.object.sha for r in repository.get_git_matching_refs("heads/")] == [newest, newest]


def test_an_app_cannot_write_workflows_without_the_permission(github: Sandbox, sample: Path) -> None:
    github.create_repository(from_directory=sample)
    with pytest.raises(GithubException) as refused:
        publish(as_app(github).get_repo("acme/orders"), "topic", {".github/workflows/evil.yml": "on: push"})
    assert refused.value.status == 403


def test_a_review_is_announced_in_lower_case_and_read_in_upper_case(described: Sandbox, sample: Path) -> None:
    orders = described.create_repository(from_directory=sample)
    publish(as_app(described).get_repo("acme/orders"), "topic", {"a": "b"})
    repository = as_app(described).get_repo("acme/orders")
    pull = repository.create_pull(base="main", head="topic", title="T", body="")
    described.review(orders.issues[1], "REQUEST_CHANGES", "Not yet")
    [review] = orders.issues[1].pull_request.reviews if orders.issues[1].pull_request else []
    assert pull.get_review(review.id).state == "CHANGES_REQUESTED"
    sent = [d for d in described.deliveries.attempts if d.event == "pull_request_review"]
    assert b'"state": "changes_requested"' in sent[0].body
