"""A secret that stages put into everything they can reach stands in no file of the run directory."""

import base64
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pipeline.contract.failure import Failure
from pipeline.contract.run import RunRecord
from pipeline.contract.wire import RunIdentity
from pipeline.domain.stops import Ask, ClarificationNeeded
from pipeline.engine.executor import execute
from pipeline.engine.memo import Memo
from pipeline.run_record.journal import Journal
from pipeline.run_record.redaction import Redactor
from pipeline.run_record.run_directory import RunDirectory
from pipeline.run_record.summary import render_summary
from tests.pipeline.engine.declared_stages import Stages, Text

CANARY = "canary-7Hq2xV9mK4tR8wZ1pL5n"
IDENTITY = RunIdentity(
    repository="acme/orders", issue=418, commit="c" * 40, run_id="7", ticket_sha256="a" * 64
)

FORMS = {
    "plain": CANARY,
    "first seven cut": CANARY[7:],
    "reversed": CANARY[::-1],
    "hexadecimal": CANARY.encode().hex(),
    "base64": base64.b64encode(CANARY.encode()).decode(),
    "base64 inside a text": base64.b64encode(f"key={CANARY};".encode()).decode(),
}


def leaving_everything_behind(path: Path, said: str) -> None:
    """A run whose stages tell the secret in an output, a question, an error and a retry."""
    ask = Ask(stage="existing", slot=said, reason=f"why {said}", text=f"what {said}?", suggestion=said)
    stages = (
        Stages()
        .add("snapshot", does=lambda _: Text(text=said))
        .add("existing", "snapshot", raises=ClarificationNeeded(ask))
        .add("reading", "snapshot", raises=ConnectionError(said), retries=1)
        .add("semantics", when=lambda _: False, when_text=said)
    )
    directory = RunDirectory.create(path, Redactor.from_environment({"ANTHROPIC_API_KEY": CANARY}))
    with Journal(directory.journal_path, directory.redactor) as journal:
        result = execute(stages.graph, journal, memo=Memo(directory))
    assert result.error is not None
    ending = Failure(
        kind=result.error.kind,
        stage=result.failed_stage,
        message=result.error.message,
        why=result.error.why,
        what_to_do=result.error.what_to_do,
        run=IDENTITY,
    )
    now = datetime.now(UTC)
    run = RunRecord(
        askfirst="0.1.0",
        definition=said,
        definition_sha256="d" * 64,
        identity=IDENTITY,
        model=said,
        resumed_from=None,
        started_at=now,
        finished_at=now,
        outcome=result.outcome,
        exit_code=1,
        stages=result.records,
    )
    directory.write_ending(ending)
    directory.write_document("run.json", run)
    directory.write_text("summary.md", render_summary(run, ending, mermaid=said))


@pytest.mark.parametrize("form", FORMS)
def test_no_form_of_the_secret_is_left(tmp_path: Path, form: str) -> None:
    leaving_everything_behind(tmp_path / "run", FORMS[form])
    files = {path.name: path.read_text() for path in (tmp_path / "run").rglob("*") if path.is_file()}
    assert files.pop(".gitignore") == "*\n"
    assert sorted(files) == ["failure.json", "journal.jsonl", "run.json", "summary.md"]
    for name, content in files.items():
        assert "[redacted]" in content, name
        assert not [kind for kind, text in FORMS.items() if text in content], name


def test_the_same_run_without_a_secret_leaves_its_text(tmp_path: Path) -> None:
    leaving_everything_behind(tmp_path / "run", "nothing secret")
    assert (tmp_path / "run" / "stages" / "snapshot" / "output.json").exists()
    for name in ("failure.json", "journal.jsonl", "run.json", "summary.md"):
        assert "nothing secret" in (tmp_path / "run" / name).read_text()
