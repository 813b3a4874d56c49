"""Laws that hold for any text: nothing is raised, the same comes out each time, and only what exists is offered."""

from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.code_registry.registry import Registry
from pipeline.domain.places import CitedFile, Ranking
from pipeline.domain.stops import ClarificationNeeded
from pipeline.stages.decomposition.stage import Decomposition, decide
from pipeline.stages.existing.stage import look
from pipeline.stages.selection.settings import find_keys
from tests.pipeline.stages.code_bases import (
    BOOKS,
    COMMANDS,
    ROWS,
    SETTINGS,
    SHELVES,
    TWO_APPS,
    TWO_TIMEOUTS,
    free_answer,
)
from tests.pipeline.stages.plan_world import issue, ranking_of
from tests.pipeline.trusted_sources import build_registry

TREE = ("README.md", "db/schema.sql", "shelves/api.py")
WORDS = (
    "Add fix rename validate make a an the flag field parameter option request optional should take not without "
    "move_parcel `move_parcel` create_parcel `create_parcel` send_parcel `lend` `list_books` `page` `due_on` `banned` "
    "`dry_run` --since `--until` `shop export-invoices` UPLOAD_RETRIES `REQUEST_TIMEOUT` retries doorHint `door_hint` "
    "/actions POST GET `POST /actions/stream` /books {id} README.md db/schema.sql ledger.ts shelves/api.py:7 parcel "
    "parcels stream streaming counter partners books withdraw command setting bug: feat: . ! ? , : \n \n\n ``` ` #12 ## "
    "Expected Steps <!-- --> 日本 \u202e \x00 é"
).split(" ")
TEXTS = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join))
NAMES = st.sampled_from(
    "`page` `language` `banned` `due_on` `shelf` `since` `--since` `size` `lend` `Member` it".split()
)
THINGS = st.sampled_from(
    "`list_books`|`lend`|GET /books|POST /loans|`Member`|`export_invoices`|`move_parcel`|POST /actions|README.md|".split(
        "|"
    )
)
WISHES = st.builds(
    "{} {} {} {}".format,
    st.sampled_from(["Add", "Add", "Add", "Support", "Make", "Validate"]),
    NAMES,
    st.sampled_from(["to", "to", "on", "and `page` to", "optional on"]),
    THINGS,
)


@pytest.fixture(scope="session")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    """All small code bases in one tree."""
    root = tmp_path_factory.mktemp("everything")
    for files in (BOOKS, COMMANDS, ROWS, SETTINGS, SHELVES, TWO_APPS, TWO_TIMEOUTS):
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(dedent(text))
    return build_registry(root, cache=None)


def ranking_for(title: str, body: str, probability: float) -> Ranking:
    cited = (
        CitedFile(path=path, citation=citation)
        for citation in issue(title, body).citations
        for path in TREE
        if citation.text == path
    )
    return ranking_of(*TREE, probability=probability).model_copy(update={"cited": tuple(cited)})


def is_there(id_: str, registry: Registry) -> bool:
    """Whether an id stands for an entry of the code, a setting at one of its places, or a file of the tree."""
    keys = {key.id for key in find_keys(registry)}
    return registry.get(id_) is not None or id_ in keys or id_.removeprefix("file:") in TREE


def as_data(decision: Decomposition | ClarificationNeeded) -> object:
    return decision.ask if isinstance(decision, ClarificationNeeded) else decision


@given(title=TEXTS, body=TEXTS, probability=st.floats(0, 1))
def test_any_ticket_comes_to_targets_that_exist_or_to_a_question_that_can_be_answered(
    everything: Registry, title: str, body: str, probability: float
) -> None:
    decision, _ = decide(issue(title, body), ranking_for(title, body, probability), everything, ())
    if isinstance(decision, ClarificationNeeded):
        candidates = decision.as_also().candidates
        ids = [one.id for one in candidates]
        assert 2 <= len(candidates) <= 12
        assert len(set(ids)) == len({one.label for one in candidates}) == len(candidates)
        assert decision.ask.default in (None, ids[0])
        assert (decision.ask.default is None) == (decision.ask.default_reason is None)
    else:
        ids = [one.id for one in decision.targets]
        assert (decision.confidence.value == "named") == bool(ids)
        ids += [decision.suggested.id] if decision.suggested else []
    assert all(is_there(id_, everything) for id_ in ids)


@given(title=TEXTS, body=TEXTS, probability=st.floats(0, 1))
def test_any_ticket_is_decided_the_same_way_twice(
    everything: Registry, title: str, body: str, probability: float
) -> None:
    first, second = (
        decide(issue(title, body), ranking_for(title, body, probability), everything, ()) for _ in range(2)
    )
    assert (as_data(first[0]), first[1]) == (as_data(second[0]), second[1])


@given(text=TEXTS.filter(bool))
def test_any_answer_in_words_comes_to_something_that_exists_or_to_nothing(
    everything: Registry, text: str
) -> None:
    document = issue("Add a dry_run flag", "`move_parcel` should take an optional `dry_run`.")
    decision, _ = decide(document, ranking_of(), everything, (free_answer(text),))
    assert isinstance(decision, Decomposition)
    assert all(is_there(target.id, everything) for target in decision.targets)


@given(
    title=st.one_of(WISHES, TEXTS),
    body=st.one_of(st.just(""), TEXTS),
    label=st.sampled_from(["enhancement", "bug", ""]),
)
def test_whatever_is_said_to_exist_exists_and_bug_reports_never_stop(
    everything: Registry, title: str, body: str, label: str
) -> None:
    findings, hint, stop = look(issue(title, body, label), everything)
    assert label != "bug" or hint is None
    assert stop is None or (label != "bug" and findings and all(finding.found for finding in findings))
    for candidate in stop.ask.candidates if stop else ():
        assert candidate.location is not None
        assert is_there(candidate.id.partition("(")[0], everything)


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "piece", ["x", "`a` ", "move_parcel ", "`move_parcel` ", "POST /actions ", "not ", "\n- "]
)
def test_a_ticket_of_one_piece_again_and_again_ends_in_seconds(everything: Registry, piece: str) -> None:
    document = issue("Add a flag", piece * (60_000 // len(piece)))
    decision, _ = decide(document, ranking_of(*TREE), everything, ())
    look(document, everything)
    assert isinstance(decision, Decomposition | ClarificationNeeded)
