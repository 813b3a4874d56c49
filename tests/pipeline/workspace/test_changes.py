"""A change holds what differs from the commit, whole; what may not leave the tree does not."""

import os
import subprocess
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from pipeline.contract.change import Change, FileChange
from pipeline.contract.change_check import ChangeVerdict, check_change
from pipeline.contract.wire import RunIdentity
from pipeline.domain.errors import ChangeRefused
from pipeline.workspace.changes import changed_files, restore
from pipeline.workspace.tools import Tools
from pipeline.workspace.worktree import Worktree
from tests.pipeline.workspace.conftest import Repository
from tests.pipeline.workspace.made_repositories import commit, make_repository


def taken(worktree: Worktree) -> Change:
    run = RunIdentity(
        repository="acme/orders", issue=418, commit=worktree.commit, run_id="7", ticket_sha256="a" * 64
    )
    files = changed_files(worktree)
    return Change(run=run, base_commit=worktree.commit, message="Add a flag", files=files)


def files_of(worktree: Worktree) -> dict[str, tuple[str, bytes | None]]:
    return {file.path: (file.mode, file.content) for file in taken(worktree).files}


def reasons(worktree: Worktree) -> str:
    with pytest.raises(ChangeRefused) as refused:
        taken(worktree)
    return refused.value.why


def test_changed_new_deleted_and_executable_files_are_in_it_and_nothing_else(
    worktree: Worktree, tools: Tools
) -> None:
    tools.edit_file("src/orders.py", [("len(items)", "len(list(items))")])
    tools.create_file("src/flags.py", "DRY = True\n")
    tools.run_command("rm README.md")
    tools.run_command("chmod -x run.sh")
    tools.run_command("chmod +x tests/test_orders.py")
    assert files_of(worktree) == {
        "README.md": ("100644", None),
        "run.sh": ("100644", b"#!/bin/sh\necho ran\n"),
        "src/flags.py": ("100644", b"DRY = True\n"),
        "src/orders.py": (
            "100644",
            b"def total(items):\n    return sum(items)\n\n\ndef count(items):\n    return len(list(items))\n",
        ),
        "tests/test_orders.py": ("100755", b"def test_sum():\n    assert sum([1, 2]) == 3\n"),
    }


def test_it_survives_its_own_document(worktree: Worktree, tools: Tools) -> None:
    (worktree.tree / "bytes.bin").write_bytes(bytes(range(256)))
    change = taken(worktree)
    assert Change.model_validate_json(change.model_dump_json()) == change


def test_a_worktree_that_was_only_looked_at_and_tested_has_no_change(
    worktree: Worktree, tools: Tools
) -> None:
    tools.run_command("python3 -m pytest -q -p no:cacheprovider")
    (worktree.tree / "debug.log").write_text("ignored")
    os.utime(worktree.tree / "README.md")
    assert files_of(worktree) == {}


def test_an_ignored_file_stays_behind_and_one_that_is_tracked_though_ignored_does_not(
    repository: Repository, tmp_path: Path
) -> None:
    (repository.path / "kept.log").write_text("tracked")
    subprocess.run(["git", "add", "--force", "kept.log"], cwd=repository.path, check=True)
    worktree = Worktree.create(repository.path, commit(repository.path, "Keep"), tmp_path / "worktree")
    (worktree.tree / "kept.log").write_text("changed")
    (worktree.tree / "other.log").write_text("ignored")
    assert list(files_of(worktree)) == ["kept.log"]


def test_links_are_refused_whether_new_or_in_place_of_a_file(worktree: Worktree, tools: Tools) -> None:
    tools.run_command("ln -s /etc/passwd users")
    tools.run_command("ln -sf /etc/passwd README.md")
    assert reasons(worktree) == snapshot("""\
README.md is or leads through a link, and links are not followed.
users is or leads through a link, and links are not followed.\
""")


def test_a_folder_that_became_a_link_leads_nowhere(worktree: Worktree, tools: Tools, tmp_path: Path) -> None:
    (tmp_path / "orders.py").write_text("canary")
    tools.run_command("rm -r src")
    (worktree.tree / "src").symlink_to(tmp_path)
    assert "canary" not in reasons(worktree)


def test_a_link_of_the_commit_may_stay_and_not_change(tmp_path: Path) -> None:
    make_repository(tmp_path / "linked")
    (tmp_path / "linked" / "current").symlink_to("src")
    head = commit(tmp_path / "linked", "Link")
    worktree = Worktree.create(tmp_path / "linked", head, tmp_path / "worktree")
    assert files_of(worktree) == {}
    (worktree.tree / "current").unlink()
    (worktree.tree / "current").symlink_to("/etc")
    assert reasons(worktree) == snapshot("current was a link and is changed; links are changed by people.")


def test_a_file_with_a_second_name_is_refused(worktree: Worktree, tmp_path: Path) -> None:
    (tmp_path / "netrc").write_text("canary")
    os.link(tmp_path / "netrc", worktree.tree / "innocent")
    assert reasons(worktree) == snapshot(
        "innocent is one of several names of the same file, which is refused like a link."
    )


def test_a_repository_inside_is_refused(worktree: Worktree, tools: Tools) -> None:
    tools.run_command("git init --quiet vendor")
    (worktree.tree / "vendor" / "a.py").write_text("")
    assert "vendor" in reasons(worktree)


def test_a_git_folder_made_by_a_process_changes_nothing(worktree: Worktree, tools: Tools) -> None:
    tools.run_command("git init --quiet .")
    (worktree.tree / ".git" / "config").write_text("[core]\n\tfsmonitor = touch ran\n")
    (worktree.tree / ".git" / "info").mkdir(exist_ok=True)
    (worktree.tree / ".git" / "info" / "exclude").write_text("*\n")
    (worktree.tree / "new.py").write_text("")
    assert list(files_of(worktree)) == ["new.py"]
    assert not (worktree.tree / "ran").exists()


def test_sizes_are_capped(worktree: Worktree) -> None:
    (worktree.tree / "large.bin").write_bytes(b"x" * ((1 << 20) + 1))
    assert reasons(worktree) == snapshot("large.bin is larger than 1048576 bytes.")
    (worktree.tree / "large.bin").unlink()
    for number in range(302):
        (worktree.tree / f"f{number}").touch()
    assert reasons(worktree) == snapshot("more than 300 files differ")


def test_a_large_file_of_the_commit_that_nobody_touched_is_no_problem(tmp_path: Path) -> None:
    head = make_repository(tmp_path / "large", {"large.bin": "x" * (2 << 20), "a.py": ""})
    worktree = Worktree.create(tmp_path / "large", head, tmp_path / "worktree")
    (worktree.tree / "a.py").write_text("x")
    assert list(files_of(worktree)) == ["a.py"]


def test_a_workflow_is_refused_and_what_needs_an_approval_is_handed_on(
    worktree: Worktree, tools: Tools
) -> None:
    tools.create_file(".github/dependabot.yml", "version: 2\n")
    assert [(p.verdict, p.path) for p in check_change(taken(worktree))] == [
        (ChangeVerdict.CONFIRM, ".github/dependabot.yml")
    ]
    tools.create_file(".github/workflows/ci.yml", "on: push\n")
    refused = [p for p in check_change(taken(worktree)) if p.verdict is ChangeVerdict.REFUSE]
    assert [f"{p.path}: {p.why}" for p in refused] == snapshot(
        [
            ".github/workflows/ci.yml: workflows decide what runs with the repository's secrets, and are changed by people"
        ]
    )


def test_a_name_that_no_document_can_hold_is_refused_where_it_is_new(worktree: Worktree) -> None:
    (worktree.tree / os.fsdecode(b"caf\xe9.txt")).write_text("")
    (worktree.tree / "back\\slash").write_text("")
    assert reasons(worktree) == snapshot("""\
'back\\\\slash' is no name that a change can hold
'caf\\udce9.txt' is no name that a change can hold\
""")


def test_a_round_begins_where_another_one_ended_whatever_lies_in_the_tree(
    worktree: Worktree, tools: Tools
) -> None:
    tools.edit_file("src/orders.py", [("len(items)", "len(list(items))")])
    tools.run_command("rm README.md")
    tools.create_file("src/new.py", "new\n")
    ended = taken(worktree).files
    tools.run_command("rm -r src tests")
    tools.run_command("git init --quiet .")
    (worktree.tree / "debug.log").write_text("left over")
    restore(worktree, ended)
    assert taken(worktree).files == ended
    assert not (worktree.tree / "debug.log").exists()
    assert not (worktree.tree / ".git").exists()


def test_a_file_can_take_the_place_of_a_folder(worktree: Worktree) -> None:
    ended = (
        FileChange(path="src/orders.py", content=None),
        FileChange(path="src", content=b"eA=="),
    )
    restore(worktree, ended)
    assert (worktree.tree / "src").read_text() == "x"
    assert taken(worktree).files == tuple(sorted(ended, key=lambda file: file.path))
