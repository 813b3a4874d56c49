"""Which tree is read for what: the checkout, and, where a pull request is changed again, the commit it was made from."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from pipeline.contract.answers import Answers
from pipeline.definition.loader import load
from pipeline.domain.errors import PreconditionFailed, RepositoryUnreadable
from pipeline.domain.ticket import IncomingTicket
from pipeline.domain.wanted_changes import WantedChanges
from pipeline.llm.usage import Ledger
from pipeline.run.agents import open_agents
from pipeline.run.checkouts import open_checkouts
from pipeline.run.indexes import Indexes
from pipeline.run.models import RunModel
from pipeline.run.run import Replies, Run, RunRequest
from pipeline.run_inputs.inputs import Start
from pipeline.run_record.journal import Journal
from pipeline.run_record.redaction import Redactor
from pipeline.run_record.run_directory import RunDirectory
from pipeline.terminal.progress import Progress
from tests.pipeline.llm.scripted_model import ScriptedModel

IDENTITY = {"GIT_AUTHOR_NAME": "octocat", "GIT_AUTHOR_EMAIL": "octocat@users.noreply.github.com"}
IDENTITY |= {key.replace("AUTHOR", "COMMITTER"): value for key, value in IDENTITY.items()}


def git(repository: Path, *arguments: str) -> str:
    environment = {"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": str(repository.parent), **IDENTITY}
    done = subprocess.run(
        ["git", *arguments], cwd=repository, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def commit(repository: Path, files: Mapping[str, str]) -> str:
    for path, text in files.items():
        (repository / path).parent.mkdir(parents=True, exist_ok=True)
        (repository / path).write_text(text, encoding="utf-8")
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message", "Change")
    return git(repository, "rev-parse", "HEAD")


@pytest.fixture
def cleanup() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "code").mkdir()
    git(tmp_path / "code", "init", "--quiet", "--initial-branch", "main")
    return tmp_path / "code"


def wanted(base: str) -> WantedChanges:
    return WantedChanges(pull_request=2, base_commit=base, asked_by="octocat", text="Call it rehearse.")


def test_without_a_pull_request_the_checkout_is_all_there_is(repository: Path, cleanup: ExitStack) -> None:
    head = commit(repository, {"tests/test_a.py": ""})
    ground = open_checkouts(repository, None, None, cleanup)
    assert (ground.base, ground.tree) == (repository, ground.checkout)
    assert ground.checkout.commit == head


@pytest.fixture
def revised(repository: Path) -> tuple[str, str]:
    """The commit that is checked out, from which a pull request was made, and the head of its branch."""
    base = commit(
        repository, {".github/askfirst/gate.yml": "strict", "own.yml": "name: own", "tests/test_a.py": ""}
    )
    git(repository, "switch", "--quiet", "--create", "askfirst/1-a")
    head = commit(
        repository, {".github/askfirst/gate.yml": "loose", "own.yml": "name: loosened", "tests/test_b.py": ""}
    )
    git(repository, "switch", "--quiet", "main")
    return base, head


def test_rules_and_ticket_are_read_where_the_pull_request_was_made_from(
    repository: Path, revised: tuple[str, str], cleanup: ExitStack
) -> None:
    base, head = revised
    ground = open_checkouts(repository, wanted(base), head, cleanup)
    assert (ground.base / ".github/askfirst/gate.yml").read_text() == "strict"
    assert (ground.tree.commit, ground.checkout.commit) == (base, head)
    assert (ground.tree.test_files, ground.checkout.test_files) == (1, 2)


def test_explorers_and_coder_of_a_revision_look_things_up_in_the_head_of_its_pull_request(
    repository: Path, cleanup: ExitStack, tmp_path: Path
) -> None:
    base = commit(repository, {"a.py": "def before(): ...\n"})
    git(repository, "switch", "--quiet", "--create", "askfirst/1-a")
    head = commit(repository, {"b.py": "def after(): ...\n"})
    git(repository, "switch", "--quiet", "main")
    ground = open_checkouts(repository, wanted(base), head, cleanup)
    ticket = IncomingTicket(title="Add a flag", body="")
    start = Start(ticket, Answers(), "1", 1, None, head, None, None, wanted(base))
    directory, model = RunDirectory(tmp_path, Redactor()), ScriptedModel()
    journal = cleanup.enter_context(Journal(directory.journal_path, directory.redactor))
    request = RunRequest(repository, "1", "build", None, tmp_path, None, Replies())
    progress, now = Progress(sys.stderr), datetime.now(UTC)
    run = Run(
        request=request, directory=directory, journal=journal, progress=progress, start_time=now, environment={},
        cleanup=cleanup, start=start, checkouts=ground, definition=load("build"),
    )  # fmt: skip
    of_base = Indexes(ground.base, is_cached=False)
    agents = open_agents(run, RunModel(model, model, Ledger({}), "a-model", lambda _: True), of_base)
    assert agents is not None
    for agent in (agents.explorers["plans"], agents.bench):
        assert agent.commit == head
        assert [symbol.name for symbol in agent.sources.registry().symbols] == ["before", "after"]


def test_attack_36_the_head_of_a_pull_request_is_never_in_the_checkout(
    repository: Path, revised: tuple[str, str], cleanup: ExitStack
) -> None:
    base, head = revised
    ground = open_checkouts(repository, wanted(base), head, cleanup)
    assert (ground.checkout_root / "tests/test_b.py").is_file()
    assert not ground.checkout_root.is_relative_to(repository)
    assert not (repository / "tests/test_b.py").exists()
    git(repository, "checkout", "--quiet", head)
    with pytest.raises(PreconditionFailed) as refused:
        open_checkouts(repository, wanted(base), head, cleanup)
    assert refused.value.what_to_do.startswith("Bring the workflow up to date: askfirst init")


def test_a_changed_checkout_is_a_changed_tree(
    repository: Path, revised: tuple[str, str], cleanup: ExitStack
) -> None:
    (repository / "own.yml").write_text("3")
    ground = open_checkouts(repository, wanted(revised[0]), revised[1], cleanup)
    assert (ground.tree.changed_files, ground.checkout.changed_files) == (("own.yml",), ("own.yml",))


def test_a_head_that_was_not_fetched_is_named(
    repository: Path, revised: tuple[str, str], cleanup: ExitStack
) -> None:
    with pytest.raises(RepositoryUnreadable) as refused:
        open_checkouts(repository, wanted(revised[0]), "a" * 40, cleanup)
    assert refused.value.what_to_do == snapshot(
        "Fetch the branches too: actions/checkout with `fetch-depth: 0`"
    )


def test_what_was_put_on_disk_is_taken_away(repository: Path, revised: tuple[str, str]) -> None:
    with ExitStack() as cleanup:
        ground = open_checkouts(repository, wanted(revised[0]), revised[1], cleanup)
        assert (ground.checkout_root / "own.yml").is_file()
    assert not ground.checkout_root.exists()
