"""`askfirst plan` as a process: what it prints, and how it ends."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from inline_snapshot import snapshot


def plan(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    script = Path(sys.executable).parent / "askfirst"
    return subprocess.run(
        [script, "plan", *arguments], env=os.environ | environment, capture_output=True, text=True, timeout=60
    )


def test_triage_is_drawn_as_text() -> None:
    drawn = plan("--definition", "triage")
    assert (drawn.returncode, drawn.stderr) == (0, "")
    assert drawn.stdout == snapshot("""\
triage: Three agents look at an issue, each certain to run, and a fourth puts what they found together.

  ┌ duplicate_issues  uses agent (agent=duplicate_issues); 1 retry; at most 300 s
  │ completeness      uses agent (agent=completeness); 1 retry; at most 300 s
  └ reproducibility   uses agent (agent=reproducibility); 1 retry; at most 600 s

    verdict           after duplicate_issues, completeness, reproducibility; uses agent (agent=verdict); 1 retry; at most 300 s
""")


def test_triage_is_drawn_as_mermaid() -> None:
    drawn = plan("--definition", "triage", "--mermaid")
    assert (drawn.returncode, drawn.stderr) == (0, "")
    assert drawn.stdout == snapshot("""\
flowchart TD
  s1["duplicate_issues"]
  s2["completeness"]
  s3["reproducibility"]
  s4["verdict"]
  s1 --> s4
  s2 --> s4
  s3 --> s4
""")


def test_a_machine_without_git_draws_the_plan_too(tmp_path: Path) -> None:
    drawn = plan("--definition", "triage", "--repository", str(tmp_path), PATH=str(tmp_path))
    assert (drawn.returncode, drawn.stdout) == (0, plan("--definition", "triage").stdout), drawn.stderr


def test_mistakes_end_with_1_and_no_traceback(tmp_path: Path) -> None:
    path = tmp_path / "pipeline.yml"
    path.write_text("name: own\nstages:\n  - {id: one, uses: agnt}\n")
    refused = plan("--definition", str(path))
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.replace(str(tmp_path), "DIR") == snapshot("""\
askfirst: The definition DIR/pipeline.yml has one mistake.
DIR/pipeline.yml:3: `one` uses `agnt`, which is no kind of stage. Did you mean `agent`? Allowed: agent, baseline, change, coder, command, decomposition, existing, places, plans, preconditions, reading, registry, reviewer, semantics, snapshot, tests, ticket, under_way.
Correct the file, then look again: askfirst plan --definition DIR/pipeline.yml
""")


def test_help_shows_an_example() -> None:
    assert "Example: askfirst plan --definition triage --mermaid" in plan("--help").stdout


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ('{"area": {"urgent": true}}', "area                 runs\non-call              runs\n"),
        (
            '{"area": {"urgent": false}}',
            "area                 runs\non-call              its condition does not hold: area.urgent\n",
        ),
        ("{}", "has no output of `area`, which the condition `area.urgent` reads."),
        ('{"area": {"urgent": 3}}', "area.urgent: Input should be a valid boolean"),
        ('{"are": {}}', "are: Extra inputs are not permitted"),
    ],
)
def test_outputs_that_are_given_say_which_stages_would_run(tmp_path: Path, given: str, shown: str) -> None:
    outputs = tmp_path / "outputs.json"
    outputs.write_text(given)
    (tmp_path / "agents").mkdir()
    for name, schema in (("labeller", "{urgent: {type: boolean}}"), ("on_call", "{look_at: {type: string}}")):
        (tmp_path / f"agents/{name}.md").write_text(
            f"---\nname: {name}\ndescription: Looks.\noutput:\n  type: object\n  properties: {schema}\n---\nLook.\n"
        )
    definition = tmp_path / "pipeline.yml"
    definition.write_text(
        "name: labels\nstages:\n  - {id: area, uses: agent, with: {agent: labeller}}\n"
        "  - {id: on-call, uses: agent, needs: [area], when: area.urgent, with: {agent: on_call}}\n"
    )
    done = plan("--definition", str(definition), "--given", str(outputs))
    assert shown in (done.stdout or done.stderr)
    assert done.returncode == (0 if done.stdout else 64)
