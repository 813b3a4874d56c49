"""The workflow that users get."""

import re
from typing import Any

import pytest
import yaml

from tests.workflow import act

FILES = [act.TEMPLATE, act.ROOT / "action.yml", *sorted((act.ROOT / ".github" / "workflows").glob("*.yml"))]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(act.ROOT)))
def test_every_action_is_pinned_to_a_commit(path) -> None:
    called = act.uses(path.read_text(encoding="utf-8"))
    assert called
    for action in called:
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action), action


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(act.ROOT)))
def test_attack_28_no_job_writes_a_cache(path) -> None:
    """What reads an issue could poison it for a job that publishes."""
    text = path.read_text(encoding="utf-8")
    assert not [action for action in act.uses(text) if action.startswith("actions/cache")]
    assert not re.search(r"^\s*(?:[\w-]+-)?cache(?:-[\w-]+)?:", text, re.MULTILINE)


def test_a_run_is_named_by_number_and_nonce_and_by_nothing_that_anybody_may_write() -> None:
    template = yaml.safe_load(act.TEMPLATE.read_text(encoding="utf-8"))
    named = re.findall(r"\$\{\{(.*?)\}\}", template["run-name"])
    assert [name.strip() for name in named] == ["inputs.issue || github.event.issue.number", "inputs.nonce"]


def test_the_job_may_only_read() -> None:
    template = yaml.safe_load(act.TEMPLATE.read_text(encoding="utf-8"))
    assert template["permissions"] == {}
    granted = [job["permissions"] for job in template["jobs"].values()]
    assert granted == [{"actions": "read", "contents": "read", "issues": "read", "pull-requests": "read"}]


def test_the_inputs_of_a_dispatch_are_those_of_the_contract() -> None:
    # The key `on` is a boolean to YAML 1.1.
    template = yaml.safe_load(act.TEMPLATE.read_text(encoding="utf-8"))
    assert list(template[True]["workflow_dispatch"]["inputs"]) == [
        *("issue", "nonce", "ticket_sha256", "commit", "answers", "memo_run_id", "memo_sha256", "revise")
    ]


def conversation_steps() -> dict[str, Any]:
    action = yaml.safe_load((act.ROOT / "github_app" / "action" / "action.yml").read_text(encoding="utf-8"))
    return {step["name"]: step for step in action["runs"]["steps"]}


def test_jobs_speak_with_the_one_token_by_which_they_know_their_comments_again() -> None:
    assert conversation_steps()["Speak"]["env"]["GITHUB_TOKEN"] == "${{ github.token }}"


def test_a_record_that_is_too_long_for_a_signed_comment_is_uploaded_too() -> None:
    assert conversation_steps()["Upload the record"]["if"] == "always() && steps.install.outputs.program"


def test_the_sandbox_starts_runs_as_the_template_does() -> None:
    sandbox = act.ROOT / "sandbox" / "actions" / "askfirst.yml"
    shipped, short = (yaml.safe_load(path.read_text(encoding="utf-8")) for path in (act.TEMPLATE, sandbox))
    for inputs in (one[True]["workflow_dispatch"]["inputs"] for one in (shipped, short)):
        for described in inputs.values():
            described.pop("description", None)
    assert [shipped[key] for key in ("run-name", True)] == [short[key] for key in ("run-name", True)]
    assert shipped["jobs"]["pipeline"]["if"] == short["jobs"]["pipeline"]["if"]
