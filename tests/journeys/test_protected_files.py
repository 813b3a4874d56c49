"""Protected files on the way to a change: each waits for a person, also where a test writes it, and some never leave."""

import hashlib
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from pipeline.contract.change import blob_of
from tests.journeys.changes import CLEAR, files_of
from tests.journeys.conftest import Run
from tests.journeys.scripts import (
    answered,
    approves,
    completes,
    creates,
    write_script,
)


def test_a_protected_file_waits_for_an_approval_and_has_it_for_this_call_only(
    quick: Path, build: Run, tmp_path: Path
) -> None:
    script = write_script(
        tmp_path / "owners.jsonl",
        {"coder/1": [[creates("CODEOWNERS", "* @octocat\n")], [completes()]], "reviewer/1": [[approves()]]},
    )
    first = build(quick, CLEAR, "--replay", script)
    asked = first.document("clarification.json")
    assert (first.exit_code, asked["kind"], asked["stage"]) == (2, "ConfirmationNeeded", "coder")
    assert asked["question"]["default"] == "decline"
    assert not (first.directory / "change.json").exists()

    answers = answered(asked, tmp_path / "a.json", verdict="approve")
    second = build(quick, CLEAR, "--replay", script, "--answers", answers, resume=first.directory)
    assert second.exit_code == 0, second.stderr
    assert files_of(second) == {"CODEOWNERS": "* @octocat\n"}
    assert second.document("change.json")["work"]["approvals"] == snapshot(
        [
            {
                "tool": "create_file",
                "target": "CODEOWNERS",
                "rule": "code-owners",
                "why": "it says who must approve a change",
                "verdict": "approve",
            }
        ]
    )


def test_attack_34_an_approved_file_that_a_test_writes_over_is_asked_about_again(
    build: Run, tmp_path: Path, quick: Path
) -> None:
    sneaky = "from pathlib import Path\nPath('CODEOWNERS').write_text('* @evil')\n"
    turns = [
        [creates("CODEOWNERS", "* @octocat\n")],
        [creates("planted.py", sneaky), ("run_tests", {})],
        [completes()],
    ]
    script = write_script(tmp_path / "over.jsonl", {"coder/1": turns, "reviewer/1": [[approves()]]})
    first = build(quick, CLEAR, "--replay", script)
    clarification = first.document("clarification.json")
    assert clarification["question"]["subject"]["result"] == blob_of("100644", b"* @octocat\n")
    answers = answered(clarification, tmp_path / "a.json", verdict="approve")
    second = build(quick, CLEAR, "--replay", script, "--answers", answers, resume=first.directory)
    again = second.document("clarification.json")
    assert (again["kind"], again["stage"]) == ("ConfirmationNeeded", "change")
    assert again["question"]["subject"]["arguments"] == {
        "path": "CODEOWNERS",
        "mode": "100644",
        "sha256": hashlib.sha256(b"* @evil").hexdigest(),
    }


@pytest.mark.parametrize("path", ["CODEOWNERS", "CLAUDE.md", ".gitlab-ci.yml", "package.json"])
def test_a_file_that_a_test_wrote_beside_the_gate_waits_too(
    path: str, build: Run, tmp_path: Path, quick: Path
) -> None:
    """Code of the repository is no way around the gate: what it leaves in the tree is looked at again at the end."""
    sneaky = f"from pathlib import Path\nPath({path!r}).write_text('* @octocat')\n"
    script = write_script(
        tmp_path / "sneaky.jsonl",
        {
            "coder/1": [[creates("planted.py", sneaky), ("run_tests", {})], [completes()]],
            "reviewer/1": [[approves()]],
        },
    )
    first = build(quick, CLEAR, "--replay", script)
    asked = first.document("clarification.json")
    assert (asked["kind"], asked["stage"]) == ("ConfirmationNeeded", "change")
    assert asked["question"]["subject"]["arguments"]["path"] == path
    answers = answered(asked, tmp_path / "a.json", verdict="decline")
    second = build(quick, CLEAR, "--replay", script, "--answers", answers, resume=first.directory)
    assert (second.exit_code, second.document("failure.json")["kind"]) == (1, "ChangeRefused")
    assert "octocat declined" in second.document("failure.json")["why"]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (
            "p = Path('.github/workflows/ci.yml'); p.parent.mkdir(parents=True); p.write_text('on: push')",
            "workflows",
        ),
        ("Path('server.pem').write_text('x')", "server.pem: the file may hold a secret"),
        ("Path('out').symlink_to('/etc')", "link"),
        ("Path('big.bin').write_bytes(b'x' * (1 << 21))", "bytes"),
    ],
)
def test_what_may_not_leave_the_tree_is_refused_visibly(
    body: str, why: str, quick: Path, build: Run, tmp_path: Path
) -> None:
    planted = (
        f"from pathlib import Path\nif not Path('seen').exists():\n    Path('seen').write_text('x'); {body}\n"
    )
    script = write_script(
        tmp_path / "planted.jsonl",
        {
            "coder/1": [[creates("planted.py", planted), ("run_tests", {})], [completes()]],
            "reviewer/1": [[approves()]],
        },
    )
    ended = build(quick, CLEAR, "--replay", script)
    assert (ended.exit_code, ended.endings) == (1, {"failure.json"}), ended.stderr
    failure = ended.document("failure.json")
    assert failure["kind"] == "ChangeRefused"
    assert why in failure["why"]
    assert not (ended.directory / "change.json").exists()
