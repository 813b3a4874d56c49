"""A ranking: what comes first, why, and that nothing but the issue and the tree decides."""

import random
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.code_registry.store import IndexStore
from pipeline.code_registry.text.index import TextIndex, open_index
from pipeline.domain.history import NO_HISTORY, CommitHistory, PastCommit
from pipeline.domain.issue import IssueDocument
from pipeline.domain.places import Ranking
from pipeline.domain.terms import Postings
from pipeline.domain.ticket import IncomingTicket
from pipeline.places.ranking import rank
from pipeline.reading.document import read_issue

FILES = {
    "app/archive.py": "RETENTION_DAYS = 30\n\n\ndef purge_archive(items):\n    '''Remove archived items.'''\n",
    "app/invoices.py": "def pay_invoice(invoice):\n    return 'paid'\n",
    "app/settings.py": "UPLOAD_RETRIES = 3\nMAIL_SENDER = 'a'\n",
    "web/Invoice.vue": "<template><button>Pay this invoice</button></template>\n",
    "tests/test_invoices.py": "def test_pay_invoice():\n    assert True\n",
    "README.md": "# Orders\n\nAn invoice is paid once.\n",
}


def write(root: Path, files: Mapping[str, str]) -> TextIndex:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    root.mkdir(exist_ok=True)
    return open_index(root, None, IndexStore(None))


def issue(title: str, body: str = "") -> IssueDocument:
    return read_issue(IncomingTicket(title=title, body=body), (), ())


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> TextIndex:
    return write(tmp_path_factory.mktemp("tree"), FILES)


def sentences(ranking: Ranking, path: str) -> list[str]:
    return [reason.sentence for file in ranking.files if file.path == path for reason in file.reasons]


def test_the_file_that_shares_rare_words_comes_first_and_says_which(index: TextIndex) -> None:
    ranking = rank(issue("Keep archived items longer than the retention allows"), index, NO_HISTORY)
    assert ranking.files[0].path == "app/archive.py"
    assert any("“retention”" in sentence for sentence in sentences(ranking, "app/archive.py"))


def test_words_in_a_text_that_few_files_have_are_named_before_a_name_that_many_define(tmp_path: Path) -> None:
    many = {f"app/part_{number}.py": "def item():\n    return 1\n" for number in range(8)}
    index = write(tmp_path / "tree", many | {"app/root.py": "def item():\n    return 'unix'\n"})
    ranking = rank(issue("Unix permissions of an item"), index, NO_HISTORY)
    assert sentences(ranking, "app/root.py")[:2] == [
        "shares “Unix” with literals of this file",
        "shares “item” with names defined here",
    ]


def test_words_of_a_wish_are_no_reason(tmp_path: Path) -> None:
    index = write(tmp_path / "tree", {"app/cart.py": "def add(allowed): ...\n", "app/a.py": "x = 1\n"})
    ranking = rank(issue("Add a cart", "Allow it."), index, NO_HISTORY)
    assert sentences(ranking, "app/cart.py") == ["shares “cart” with the path"]


def test_a_frame_leads_to_its_file_by_the_tail_of_its_path(index: TextIndex) -> None:
    trace = (
        "```\nTraceback (most recent call last):\n"
        '  File "/srv/releases/7/app/invoices.py", line 2, in pay_invoice\n'
        "    return 'paid'\nValueError: bad\n```\n"
    )
    ranking = rank(issue("It breaks", trace), index, NO_HISTORY)
    assert "the frame app/invoices.py:2 points here" in sentences(ranking, "app/invoices.py")
    assert ("app/invoices.py", 2, True) in {(one.path, one.line, one.is_only) for one in ranking.cited}


def test_a_setting_that_is_named_leads_to_where_it_is_defined(index: TextIndex) -> None:
    ranking = rank(issue("Raise `UPLOAD_RETRIES` to five"), index, NO_HISTORY)
    assert ranking.files[0].path == "app/settings.py"
    assert "“UPLOAD_RETRIES” is defined here and nowhere else" in sentences(ranking, "app/settings.py")


@pytest.mark.parametrize(
    ("name", "is_defined"),
    [("--pay-invoice", True), ("--on-invoice", False), ("pay-invoice", True), ("no-invoice", False)],
)
def test_words_with_hyphens_are_defined_where_all_of_them_are_one_name(
    index: TextIndex, name: str, is_defined: bool
) -> None:
    ranking = rank(issue("A flag", f"Please add `{name}`."), index, NO_HISTORY)
    assert (
        any("is defined here" in sentence for sentence in sentences(ranking, "app/invoices.py")) is is_defined
    )


def test_an_option_of_many_words_is_defined_where_they_are_one_name(tmp_path: Path) -> None:
    files = {"src/options.py": "keep_old_invoice = False\n", "src/other.py": "keep, old, invoice = 1, 2, 3\n"}
    ranking = rank(issue("Undo `--keep-old-invoice`"), write(tmp_path / "tree", FILES | files), NO_HISTORY)
    assert sentences(ranking, "src/options.py")[0] == "“--keep-old-invoice” is defined here and nowhere else"


def test_like_commits_of_the_past_lead_to_the_files_that_they_changed(index: TextIndex) -> None:
    past = [
        PastCommit(f"c{n}", n, {"throttl": 1, "mail": 1}, ["app/settings.py"], [40 + n]) for n in range(3)
    ]
    ranking = rank(
        issue("Throttling of mails again", "See #41"), index, CommitHistory(past, 3, is_shallow=True)
    )
    assert ranking.files[0].path == "app/settings.py"
    found = sentences(ranking, "app/settings.py")
    assert any(sentence.startswith("3 similar commits: c0") for sentence in found)
    assert any("that the issue leads to: c1" in sentence for sentence in found)
    assert (ranking.commits, ranking.is_shallow) == (3, True)
    assert "shallow" in " ".join(ranking.notes)


def test_a_commit_that_the_issue_names_twice_is_one_reason(index: TextIndex) -> None:
    past = [PastCommit("b0da6bddf", 0, {"mail": 1}, ["app/settings.py"], [41])]
    body = "It began with #41, in b0da6bddf."
    ranking = rank(issue("Mails are late", body), index, CommitHistory(past, 1, is_shallow=False))
    assert "changed by commits that the issue leads to: b0da6bddf" in sentences(ranking, "app/settings.py")


def test_probabilities_never_rise_down_the_list(index: TextIndex) -> None:
    ranking = rank(issue("Pay an invoice twice", "The button pays the invoice again."), index, NO_HISTORY)
    probabilities = [file.probability for file in ranking.files]
    assert probabilities == sorted(probabilities, reverse=True)


class _Shuffled:
    """The same index, whose postings come in another order."""

    def __init__(self, index: TextIndex, seed: int) -> None:
        self.paths, self.lengths, self.path_lengths = index.paths, index.lengths, index.path_lengths
        self.edges, self.notes = index.edges, index.notes
        self._index, self._chance = index, random.Random(seed)

    def postings(self, term: str) -> Postings:
        found = self._index.postings(term)
        pairs = list(zip(found.files, found.counts, strict=True))
        self._chance.shuffle(pairs)
        return Postings([one for one, _ in pairs], [count for _, count in pairs])

    def path_postings(self, term: str) -> Sequence[int]:
        return self._index.path_postings(term)


@pytest.mark.parametrize("seed", range(8))
def test_the_order_in_which_files_were_indexed_decides_nothing(index: TextIndex, seed: int) -> None:
    document = issue("Pay the archived invoice", "`pay_invoice` of app/invoices.py")
    assert rank(document, _Shuffled(index, seed), NO_HISTORY) == rank(document, index, NO_HISTORY)


_PROGRAM = """
import sys
from pathlib import Path
from pipeline.domain.ticket import IncomingTicket
from pipeline.places.ranking import rank
from pipeline.reading.document import read_issue
from pipeline.domain.history import NO_HISTORY
from pipeline.code_registry.text.index import open_index
from pipeline.code_registry.store import IndexStore
document = read_issue(IncomingTicket(title="Pay the archived Invoice", body="`pay_invoice` fails"), (), ())
print(rank(document, open_index(Path(sys.argv[1]), None, IndexStore(None)), NO_HISTORY).model_dump_json())
"""


@pytest.mark.process
def test_another_locale_and_another_seed_of_hashes_give_the_same_ranking(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    results = {
        subprocess.run(
            [sys.executable, "-c", _PROGRAM, str(tmp_path)],
            env={"LC_ALL": locale, "PYTHONHASHSEED": seed, "PATH": "/usr/bin:/bin"},
            cwd=Path(__file__).parents[3],
            capture_output=True,
            check=True,
        ).stdout
        for locale, seed in (("C", "1"), ("tr_TR.UTF-8", "2"), ("C.UTF-8", "3"))
    }
    assert len(results) == 1


def test_an_empty_tree_and_an_empty_issue_end_with_a_sentence(index: TextIndex, tmp_path: Path) -> None:
    ranking = rank(issue("Pay an invoice"), write(tmp_path / "empty", {}), NO_HISTORY)
    assert ranking.files == ()
    assert ranking.notes[0] == "The repository has no text file that can be searched."
    assert rank(issue("", ""), index, NO_HISTORY).files == ()


def test_sixty_thousand_characters_of_log_take_seconds(index: TextIndex) -> None:
    log = "\n".join(
        f"2026-01-01 ERROR worker{n} invoice_{n} failed at step{n * 7} id={n:x}" for n in range(900)
    )
    started = time.process_time()
    rank(issue("Invoices fail", f"```\n{log}\n```"[:60_000]), index, NO_HISTORY)
    assert time.process_time() - started < 10


@given(title=st.text(max_size=200), body=st.text(max_size=500))
def test_any_text_is_ranked_and_every_file_has_a_reason(index: TextIndex, title: str, body: str) -> None:
    ranking = rank(issue(title, body), index, NO_HISTORY)
    assert all(file.reasons and 0 <= file.probability <= 1 for file in ranking.files)
