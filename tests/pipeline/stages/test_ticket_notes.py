"""What a ticket that is not ready says: why, and the one next step."""

import pytest
from inline_snapshot import snapshot

from pipeline.code_registry.store import IndexStore
from pipeline.code_registry.text.index import TextIndex, open_index
from pipeline.contract.ticket import LikelyPlace, TargetConfidence
from pipeline.domain.history import CommitHistory, PastCommit
from pipeline.domain.issue import IssueDocument
from pipeline.places.ranking import rank
from pipeline.stages.places import Places
from pipeline.stages.ticket_notes import notes_on
from tests.pipeline.stages.plan_world import NO_RANKING, issue


def notes(document: IssueDocument, *probabilities: float) -> tuple[str, ...]:
    """Of an issue whose likely files, `a.py` and so on, are so probable."""
    places = tuple(
        LikelyPlace(path=f"{name}.py", probability=probability, because=())
        for name, probability in zip("abcde", probabilities, strict=False)
    )
    confidence = TargetConfidence.LIKELY if places else TargetConfidence.UNKNOWN
    return notes_on(
        document,
        (),
        Places(ranking=NO_RANKING, places=places),
        (),
        confidence,
        "Nothing leads to one place.",
    )


ORDERS = issue("Orders are slow", "The page of all orders takes ten seconds.")


def test_the_next_step_names_up_to_three_files() -> None:
    assert notes(ORDERS, 0.16, 0.12, 0.12, 0.1) == snapshot(
        (
            "Nothing leads to one place.",
            "Next: name the file, function or route in the issue and set the label again; or configure a model. Nearest: a.py, b.py, c.py.",
        )
    )
    assert notes(ORDERS, 0.16, 0.12, 0.04)[-1].endswith("Nearest: a.py, b.py.")
    assert notes(ORDERS)[-1] == snapshot(
        "Next: name the file, function or route in the issue and set the label again; or configure a model."
    )


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("設定した言語が反映されない", "設定画面で保存しても、英語の結果が表示されます。"),
        ("Сумма заказа неверна", "Налог не входит в сумму."),
        ("Summe", "Wenn ich das Formular speichere, wird die Summe nicht aktualisiert."),
    ],
)
def test_an_issue_in_another_language_says_how_it_is_found(title: str, body: str) -> None:
    sentence = "The issue is not in English; askfirst compares words in English, and finds such issues by the names, paths and messages that they cite."
    assert notes(issue(title, body), 0.15)[0] == f"Nothing leads to one place. {sentence}"
    assert "Nearest" not in notes(issue(title, body), 0.15, 0.12)[-1]
    assert notes(issue(title, body))[0] == f"Nothing leads to one place. {sentence}"


def test_an_issue_in_english_with_a_few_foreign_words_is_in_english() -> None:
    document = issue(
        "The label “das ist ein Wort und nicht mehr” is cut", "It should be whole when it is long."
    )
    assert document.is_english


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> TextIndex:
    root = tmp_path_factory.mktemp("tree")
    (root / "bug_report.py").write_text("def report_bug(problem):\n    '''Report a bug.'''\n")
    (root / "orders.py").write_text("def list_orders():\n    return []\n")
    return open_index(root, None, IndexStore(None))


PAST = CommitHistory([PastCommit("c0", 0, {"bug": 1}, ["orders.py"], [])], 1, is_shallow=False)


@pytest.mark.parametrize(
    "title", ["Bug", "[Bug]: it does not work", "Feature request", "🐛 Problem!", "Question", "バグ", "Help"]
)
def test_a_title_that_only_says_the_kind_of_issue_shares_nothing_with_the_code(
    title: str, index: TextIndex
) -> None:
    document = issue(title, "![Image](https://example.org/a.png)")
    assert rank(document, index, PAST).files == ()
    assert notes(document) == snapshot(
        (
            "Nothing leads to one place. The issue does not say what it is about: it has no words but those for its kind.",
            "Next: say in the issue what happens or what is wanted, and where: a file, a function, a route or a message. Then set the label again.",
        )
    )


def test_a_title_that_says_more_than_its_kind_is_compared(index: TextIndex) -> None:
    assert rank(issue("Orders bug"), index, PAST).files[0].path == "orders.py"
    assert rank(issue("Bug", "Orders are lost."), index, PAST).files[0].path == "orders.py"
