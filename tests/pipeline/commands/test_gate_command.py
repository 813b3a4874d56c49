"""`askfirst gate` as a process: what it prints, that every decision ends with 0, and what many runs propose."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from inline_snapshot import snapshot


def gate(tool: str, arguments: str, *options: str) -> subprocess.CompletedProcess[str]:
    script = Path(sys.executable).parent / "askfirst"
    line = [str(script), "gate", "test", tool, "-", *options]
    return subprocess.run(line, input=arguments, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    ("tool", "arguments", "decision"),
    [
        ("run_command", {"command": "pytest"}, "allow"),
        ("edit_file", {"path": "uv.lock"}, "confirm"),
        ("run_command", {"command": "git push"}, "deny"),
        ("launch", {}, "deny"),
    ],
)
def test_a_machine_reads_the_decision_and_every_one_ends_with_0(
    tool: str, arguments: dict[str, str], decision: str
) -> None:
    done = gate(tool, json.dumps(arguments), "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, set(document), document["decision"]) == (
        0,
        {"decision", "rule", "why"},
        decision,
    )


def test_a_person_reads_a_sentence() -> None:
    assert gate("run_command", '{"command": "pytest; ls"}').stdout == snapshot("""\
deny  not-plain: the command holds `;`, and only a plain command can be decided on
""")


def test_rules_of_a_repository_are_tried(tmp_path: Path) -> None:
    rules = tmp_path / "gate.yml"
    rules.write_text(
        "version: 1\nrules:\n  - {id: make, tier: confirm, tools: [run_command], commands: [{words: [make, lint]}], why: ours}\n"
    )
    done = gate("run_command", '{"command": "make lint"}', "--rules", str(rules), "--json")
    assert json.loads(done.stdout) == {"decision": "confirm", "rule": "make", "why": "ours"}


@pytest.mark.parametrize("arguments", ["[]", "{", "7"])
def test_arguments_that_are_no_object_are_a_usage_error(arguments: str) -> None:
    assert gate("run_command", arguments).returncode == 64


def decision(
    target: str, verdict: str | None, by: str = "octocat", tool: str = "edit_file"
) -> dict[str, str | None]:
    """A line of `gate.jsonl`."""
    line = {"stage": "coder", "agent": "coder", "tool": tool, "arguments_sha256": "0" * 64, "target": target}
    return line | {"tier": "confirm", "rule": "lock-files", "why": "…", "verdict": verdict, "decided_by": by}


def run_directory(path: Path, issue: int, *decisions: dict[str, str | None]) -> Path:
    """What a finished run leaves behind, as far as the report reads it."""
    path.mkdir()
    about = {
        "time": f"2026-01-0{issue + 1}T00:00:00Z",
        "conversation": f"acme/orders#{issue}",
        "commit": "1" * 40,
    }
    lines = "".join(f"{json.dumps(line | about)}\n" for line in decisions)
    (path / "gate.jsonl").write_text(lines, encoding="utf-8")
    identity = {"repository": "acme/orders", "issue": issue, "commit": "1" * 40, "run_id": "1"}
    record: dict[str, object] = {
        "askfirst": "1", "definition": "build", "definition_sha256": "0" * 64, "model": None, "resumed_from": None,
        "identity": identity | {"ticket_sha256": f"{issue:064}"}, "started_at": "2026-01-01T00:00:00Z",
        "finished_at": "2026-01-01T00:01:00Z", "outcome": "done", "exit_code": 0, "stages": [],
    }  # fmt: skip
    (path / "run.json").write_text(json.dumps(record), encoding="utf-8")
    return path


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """Six runs about five issues: `uv.lock` always approved, a migration declined twice, `go.sum` disputed."""
    uv = [
        decision("uv.lock", None),
        decision("uv.lock", "approve", "octocat"),
        decision("uv.lock", "approve", "hubot"),
    ]
    migration = decision("migrations/1.sql", "decline")
    sums = [decision("go.sum", "approve"), decision("go.sum", "decline", "hubot")]
    first = run_directory(tmp_path / "run-0", 0, *uv)
    return [
        first,
        *(
            run_directory(tmp_path / f"run-{issue}", issue, *uv, sums[issue % 2], migration)
            for issue in (1, 2)
        ),
        *(run_directory(tmp_path / f"run-{issue}", issue, *uv) for issue in (3, 4)),
        run_directory(tmp_path / "run-0-again", 0, *uv),
    ]


def report(runs: list[Path], *options: str) -> subprocess.CompletedProcess[str]:
    script = Path(sys.executable).parent / "askfirst"
    line = [str(script), "gate", "report", *map(str, runs), *options]
    return subprocess.run(line, capture_output=True, text=True, timeout=60)


def test_the_report_says_what_people_settled_and_proposes_rules(runs: list[Path]) -> None:
    assert report(runs).stdout == snapshot("""\
3 calls on which people decided, in 6 runs.

deny   edit_file migrations/1.sql: always declined  (0 approved, 2 declined, in 2 conversations by octocat)
allow  edit_file uv.lock: always approved  (5 approved, 0 declined, in 5 conversations by hubot, octocat)
keep   edit_file go.sum: people disagree  (1 approved, 1 declined, in 2 conversations by hubot, octocat)

By rule:
lock-files: 3 calls, 6 approved, 3 declined, in 5 conversations by hubot, octocat, 2026-01-01 to 2026-01-05

--- /dev/null
+++ b/.github/askfirst/gate.yml
@@ -0,0 +1,29 @@
+version: 1
+rules:
+  - id: lock-files
+    tier: confirm
+    tools:
+    - edit_file
+    - create_file
+    paths:
+    - '**/*.lock'
+    - '**/*.lockb'
+    - '**/package-lock.json'
+    - '**/npm-shrinkwrap.json'
+    - '**/pnpm-lock.yaml'
+    - '**/packages.lock.json'
+    - '**/gradle.lockfile'
+    - '**/Package.resolved'
+    - '**/go.sum'
+    - '**/go.work.sum'
+    except:
+    - tool: edit_file
+      path: uv.lock
+    why: it decides which foreign code is installed
+  - id: people-deny-1
+    tier: deny
+    tools:
+    - edit_file
+    paths:
+    - migrations/1.sql
+    why: people declined it 2 times and never approved it
""")


def test_the_patch_is_applied_by_git_and_changes_what_the_gate_decides(
    runs: list[Path], tmp_path: Path
) -> None:
    document = json.loads(report(runs, "--json").stdout)
    assert [
        (one["proposal"], one["target"], one["approved"], one["people"]) for one in document["findings"]
    ] == (
        snapshot(
            [
                ("deny", "migrations/1.sql", 0, ["octocat"]),
                ("allow", "uv.lock", 5, ["hubot", "octocat"]),
                ("keep", "go.sum", 1, ["hubot", "octocat"]),
            ]
        )
    )
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=document["patch"].encode(), check=True)
    rules = ("--rules", str(tmp_path / ".github/askfirst/gate.yml"), "--json")
    paths = ("uv.lock", "web/uv.lock", "migrations/1.sql", "go.sum")
    decided = {
        path: json.loads(gate("edit_file", json.dumps({"path": path}), *rules).stdout)["decision"]
        for path in paths
    }
    assert decided == {
        "uv.lock": "allow", "web/uv.lock": "confirm", "migrations/1.sql": "deny", "go.sum": "confirm"
    }  # fmt: skip
    again = json.loads(report(runs, *rules).stdout)
    assert again["patch"] == ""


def test_more_approvals_can_be_asked_for(runs: list[Path]) -> None:
    document = json.loads(report(runs, "--json", "--approvals", "6").stdout)
    assert [one["why"] for one in document["findings"] if one["target"] == "uv.lock"] == snapshot(
        ["approved too seldom; 6 times are needed"]
    )


def test_runs_without_a_decision_propose_nothing(tmp_path: Path) -> None:
    assert report([run_directory(tmp_path / "run", 1)]).stdout == snapshot("""\
0 calls on which people decided, in 1 runs.

""")


def test_a_directory_that_is_not_there_or_holds_no_run_is_a_usage_error(tmp_path: Path) -> None:
    assert report([tmp_path / "nowhere"]).returncode == 64
    (tmp_path / "notes").mkdir()
    done = report([run_directory(tmp_path / "run", 1), tmp_path / "notes"])
    assert (done.returncode, "notes' holds no run." in done.stderr) == (64, True)
