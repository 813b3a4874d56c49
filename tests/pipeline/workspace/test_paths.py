"""Nothing outside of the tree is read or written, whatever the path says and whatever lies in the tree."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.workspace.paths import CallRefused, Content, WorkspaceTree, parts_of


@pytest.fixture
def tree(tmp_path: Path) -> WorkspaceTree:
    root = tmp_path / "tree"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_text("a")
    (tmp_path / "secret").write_text("canary")
    (root / "link").symlink_to(tmp_path / "secret")
    (root / "folder").symlink_to(tmp_path)
    (root / "inner").symlink_to("src")
    os.mkfifo(root / "pipe")
    os.link(tmp_path / "secret", root / "second name")
    return WorkspaceTree(root)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "../secret",
        "src/../../secret",
        "src//a.py",
        "src/./a.py",
        "src/",
        ".",
        "a\0b",
        "a\nb",
        "src\\a.py",
        ".git/config",
        ".GIT/config",
        "src/.git/hooks/pre-commit",
        "git~1/config",
        ".git./config",
        "x" * 1001,
    ],
)
def test_a_path_that_is_no_plain_one_is_refused(tree: WorkspaceTree, path: str) -> None:
    for call in (tree.read, tree.exists, tree.remove, tree.link_target):
        with pytest.raises(CallRefused):
            call(path)
    with pytest.raises(CallRefused):
        tree.write(path, Content(b"", False))


@pytest.mark.parametrize("path", ["link", "folder/secret", "inner/a.py", "pipe", "second name", "src"])
def test_what_is_no_plain_file_of_the_tree_is_neither_read_nor_replaced(
    tree: WorkspaceTree, tmp_path: Path, path: str
) -> None:
    with pytest.raises(CallRefused):
        tree.read(path)
    with pytest.raises(CallRefused):
        tree.write(path, Content(b"overwritten", False))
    assert (tmp_path / "secret").read_text() == "canary"
    assert (tmp_path / "tree" / "src" / "a.py").read_text() == "a"


def test_a_link_on_the_way_is_not_followed_when_folders_are_made(tree: WorkspaceTree, tmp_path: Path) -> None:
    with pytest.raises(CallRefused):
        tree.write("folder/new/file", Content(b"", False))
    assert not (tmp_path / "new").exists()


def test_a_file_is_written_whole_with_its_folders_and_its_mode(tree: WorkspaceTree) -> None:
    tree.write("bin/deep/tool", Content(b"#!/bin/sh\n", True))
    assert tree.read("bin/deep/tool") == Content(b"#!/bin/sh\n", True)
    assert [path.name for path in (tree.root / "bin" / "deep").iterdir()] == ["tool"]


def test_a_file_that_is_too_large_is_refused_both_ways(tree: WorkspaceTree) -> None:
    (tree.root / "large").write_bytes(b"x" * ((1 << 20) + 1))
    with pytest.raises(CallRefused, match="larger than"):
        tree.read("large")
    with pytest.raises(CallRefused, match="larger than"):
        tree.write("other", Content(b"x" * ((1 << 20) + 1), False))
    assert not tree.exists("other")


def test_removing_a_link_leaves_what_it_points_to(tree: WorkspaceTree, tmp_path: Path) -> None:
    tree.remove("link")
    assert not tree.exists("link")
    assert (tmp_path / "secret").exists()


@given(path=st.text(alphabet=st.sampled_from("a./\\~gitGIT1 \0\n"), max_size=12))
def test_an_accepted_path_stays_below_the_root_and_out_of_git(path: str) -> None:
    try:
        parts = parts_of(path)
    except CallRefused:
        return
    joined = os.path.normpath("/".join(["/tree", *parts]))
    assert joined.startswith("/tree/")
    assert not any(part.casefold() == ".git" for part in parts)
