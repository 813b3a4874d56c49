"""Another coding agent writes the change: it gets the task and what it needs to sign in, and all that it leaves is judged."""

import json
from pathlib import Path

from inline_snapshot import snapshot

from tests.journeys.changes import CLEAR, files_of
from tests.journeys.conftest import CHECK, Ended, Run, make_repository
from tests.journeys.scripts import approves, write_script

KEY = "sk-made-up-key-of-another-agent-0123456789"
WRITES = """
import json, os, pathlib, sys
pathlib.Path("parcels/notes.py").write_text("FLAG = False\\n")
task = sys.stdin.read()
print("thinking aloud\\n" * 500)
print(json.dumps({"ticket": "dry_run" in task, "names": sorted(name for name in os.environ if "KEY" in name or "TOKEN" in name)}))
"""


def built(folder: Path, build: Run, coder: str) -> Ended:
    files = {
        "check.py": CHECK,
        "coder.py": coder,
        ".github/askfirst/config.yml": "test_command: python3 check.py\n"
        "coder: {command: python3 coder.py, environment: [OTHER_KEY]}\n",
    }
    repository = make_repository("parcels_flask", folder / "quick", more=files)
    script = write_script(folder / "replies.jsonl", {"reviewer/1": [[approves()]]})
    return build(
        repository,
        CLEAR,
        "--replay",
        script,
        OTHER_KEY=KEY,
        GITHUB_TOKEN="ghs_made_up",
        ANTHROPIC_API_KEY=KEY,
    )


def test_what_it_writes_is_tested_reviewed_and_published_and_it_sees_the_named_variables_alone(
    tmp_path: Path, build: Run
) -> None:
    ended = built(tmp_path, build, WRITES)
    assert ended.exit_code == 0, ended.stderr
    assert files_of(ended) == {"parcels/notes.py": "FLAG = False\n"}
    work = ended.document("change.json")["work"]
    assert work["model"] == "python3 coder.py"
    assert json.loads(work["summary"].splitlines()[-1]) == {"ticket": True, "names": ["OTHER_KEY"]}
    assert [stage for stage, how in ended.stages().items() if how == "done"][-3:] == snapshot(
        ["reviewer", "work", "change"]
    )


def test_what_it_must_not_write_waits_for_a_person_or_never_leaves(tmp_path: Path, build: Run) -> None:
    owners = built(tmp_path / "owners", build, "open('CODEOWNERS', 'w').write('* @evil\\n')\n")
    asked = owners.document("clarification.json")
    assert (owners.exit_code, asked["kind"], asked["stage"]) == (2, "ConfirmationNeeded", "change")
    writes = (
        "import pathlib\nfolder = pathlib.Path('.github/workflows')\nfolder.mkdir(parents=True, exist_ok=True)\n"
        "(folder / 'evil.yml').write_text('on: push\\n')\n"
    )
    workflow = built(tmp_path / "workflow", build, writes)
    told = workflow.document("failure.json")
    assert (workflow.exit_code, told["kind"]) == (1, "ChangeRefused")
    assert "evil.yml" in told["why"]


def test_one_that_fails_ends_the_run_with_its_last_words(tmp_path: Path, build: Run) -> None:
    ended = built(tmp_path, build, "import sys\nsys.exit('no credit left')\n")
    told = ended.document("failure.json")
    assert ended.exit_code == 1
    assert {key: told[key] for key in ("kind", "message", "why", "what_to_do")} == snapshot(
        {
            "kind": "AgentGaveUp",
            "message": "The coder's command failed: python3 coder.py",
            "why": """\
It ended with exit code 1.
no credit left\
""",
            "what_to_do": "Run it by hand in a checkout, with the task on standard input: `coder` in .github/askfirst/config.yml",
        }
    )
