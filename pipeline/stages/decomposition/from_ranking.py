"""What the ranking of files adds to a decision by citations and words: targets that are files, and doubt."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from pipeline.domain.issue import Citation, CitationKind, SectionRole
from pipeline.domain.places import CitedFile, Ranking
from pipeline.stages.decomposition.candidates import CodeChoice
from pipeline.stages.decomposition.outcome import NoMatch, OpenChoice, Outcome, Selection, Suggestion
from pipeline.stages.decomposition.subject import Subject
from pipeline.stages.selection.anchors import WISH_ROLES
from pipeline.stages.selection.labels import file_place

CLAIM = 0.9
"""The calibrated probability from which a file is a target without being cited."""

_POINTING = frozenset({CitationKind.LINE, CitationKind.FRAME})
_NAMING = frozenset({CitationKind.NAME, CitationKind.OPTION, CitationKind.ENVIRONMENT, CitationKind.LOGGER})
_PATH_FLOOR, _NAME_FLOOR = 0.5, 0.75
"""The probability that the file of a cited thing must have: of a file or path, and of a name in code.

A method with a path needs none, and neither do a line, a frame and a file with its folder: people do not write
`src/events/alias.cs` by the way.

An issue names many things that it is not about: what it calls, what it compares with, what it throws. On past commits of
trees of 125 files and more, names below three quarters were right in seven of ten, and above in fourteen of fifteen.
"""

_BESIDE = 3.0
"""A question misses the point where the first file is so many times as probable as each file of its candidates.

A file leads the ranking by far if it is so many times as probable as each other one.
"""

_QUESTION_FLOOR = 0.4
"""The probability that one of the files must have to which words alone led.

On 4,239 past commits of 16 training repositories, each ranked by a model that had not seen it, questions below were about
a changed file in 19 of 105, and above in 42 of 52.
"""

_DEPTH = 3
"""So many calls below a route is its work."""

_SMALL = 100
"""In a tree of fewer files no name is so far from the place; floors and calibration were not measured there.

So no file is a target there by its probability alone: a few shared words lead to it, since there is little else.
"""

_FAR = 1.5
"""The first file is far from the second if it is so many times as probable."""

_MOST_FILES = 4
_SHOWN = frozenset({SectionRole.LOG, SectionRole.CODE})
"""Sections that show what a program printed or how it is written: a path there is not the author's own word."""


def by_ranking(outcome: Outcome, subject: Subject) -> Outcome:
    """The outcome, where it has targets, asks, or says that all may exist; else files that the issue cites, or one that is
    sure by itself.
    """
    if isinstance(outcome, Selection | OpenChoice) or (isinstance(outcome, Suggestion) and outcome.may_exist):
        return outcome
    return _by_cited_files(subject) or _by_probability(outcome, subject) or outcome


def unless_doubted(outcome: Outcome | None, subject: Subject) -> Outcome | None:
    """The outcome, but unknown for a cited target whose file, and the files of what it leads to, are no likely places."""
    if not isinstance(outcome, Selection) or outcome.citation is None:
        return outcome
    paths = [place.location.path for place in outcome.targets if place.location is not None]
    if any(_is_whole_path(outcome.citation, path) for path in paths):
        return outcome
    probability = _probability(paths, outcome.chain, subject)
    floor = 0.0 if _is_subject_of_title(outcome.citation, subject) else _floor(outcome.citation, subject)
    if probability >= floor or (floor < _NAME_FLOOR and _leads(probability, subject)):
        return outcome
    doubt = f"“{outcome.citation.quote}” leads to {', '.join(sorted({*paths}))}, but the issue shares too little else with it."
    subject.note(f"`{outcome.citation.quote}`", concluded=doubt)
    return NoMatch(doubt)


def is_beside(choices: Sequence[CodeChoice], subject: Subject) -> bool:
    """Whether things, what they take and what they all lead to, are far behind the likeliest file."""
    registry = subject.registry
    paths = [choice.place.path for choice in choices]
    paths += [field.place.path for choice in choices for field in registry.fields_of(choice.id)]
    chain = [id_ for choice in choices for id_ in choice.chain]
    common_work = frozenset.intersection(*(_below(choice.chain[:1], subject) for choice in choices))
    first = max((file.probability for file in subject.ranking.files), default=0.0)
    return first > 0 and first >= _BESIDE * _probability(paths, [*chain, *common_work], subject)


def is_unlikely(choices: Sequence[CodeChoice], subject: Subject) -> bool:
    """Whether no file of things that words alone led to, and of the calls to what they share, is likely among many files."""
    paths = [choice.place.path for choice in choices]
    chain = [id_ for choice in choices for id_ in choice.chain]
    return subject.ranking.searched >= _SMALL and _probability(paths, chain, subject) < _QUESTION_FLOOR


def leads(ranking: Ranking, paths: AbstractSet[str]) -> bool:
    """Whether the likeliest file is one of these, and far ahead of all others."""
    best = {True: 0.0, False: 0.0}
    for file in ranking.files:
        best[file.path in paths] = max(best[file.path in paths], file.probability)
    return best[True] > 0 and best[True] >= _BESIDE * best[False]


def _below(ids: Sequence[str], subject: Subject) -> frozenset[str]:
    """The symbols that up to three calls lead to from some."""
    reached_ids, layer = set(ids), list(ids)
    for _ in range(_DEPTH):
        callees = {edge.callee for id_ in layer for edge in subject.registry.callees(id_)}
        layer = sorted(callees - reached_ids)
        reached_ids.update(layer)
    return frozenset(reached_ids)


def _leads(probability: float, subject: Subject) -> bool:
    """Whether it is that of the first file, and far from the second."""
    first, second = ([file.probability for file in subject.ranking.files[:2]] + [0.0, 0.0])[:2]
    return probability > 0 and probability == first and first >= _FAR * second


def _floor(citation: Citation, subject: Subject) -> float:
    if citation.method is not None or citation.kind in _POINTING:
        return 0.0
    is_name_of_many = citation.kind in _NAMING and subject.ranking.searched >= _SMALL
    return _NAME_FLOOR if is_name_of_many else _PATH_FLOOR


def _is_subject_of_title(citation: Citation, subject: Subject) -> bool:
    """Whether the title begins with a name: it is about that, and does not mention it."""
    title = subject.document.title.lstrip(" `*")
    is_name = citation.is_marked or not citation.text.islower()
    return citation.role is SectionRole.TITLE and is_name and title.startswith(citation.text)


def _is_whole_path(citation: Citation, path: str) -> bool:
    """Whether the author writes a file with its folder, as the tree has it: no bare name, and no path of another machine."""
    cited_path = citation.text.replace("\\", "/").removeprefix("./")
    return (
        citation.kind in (CitationKind.FILE, CitationKind.LINE)
        and citation.role not in _SHOWN
        and "/" in cited_path
        and f"/{path}".endswith(f"/{cited_path}")
    )


def _probability(paths: Sequence[str], chain: Sequence[str], subject: Subject) -> float:
    """That of the most probable file among some, and those of the symbols of a chain."""
    symbols = (subject.registry.symbol(id_) for id_ in chain)
    files = {*paths, *(symbol.place.path for symbol in symbols if symbol is not None)}
    return max((file.probability for file in subject.ranking.files if file.path in files), default=0.0)


def _by_cited_files(subject: Subject) -> Selection | None:
    """Files named where the author says what is wanted; a name that leads to two files names neither.

    A file at the root (`pyproject.toml`) has no folder to name; it needs no floor where the issue cites no other file.
    """
    likely = {file.path: file.probability for file in subject.ranking.files}
    texts = {file.citation.text for file in subject.ranking.cited if file.citation.kind is CitationKind.FILE}
    files_by_path: dict[str, CitedFile] = {
        file.path: file
        for file in subject.ranking.cited
        if (file.is_only or texts == {file.path})
        and (
            _is_whole_path(file.citation, file.path)
            or (
                file.citation.role in WISH_ROLES
                and (likely.get(file.path, 0.0) >= _floor(file.citation, subject) or texts == {file.path})
            )
        )
    }
    if not files_by_path or len(files_by_path) > _MOST_FILES:
        return None
    quotes = ", ".join(f"“{file.citation.quote}”" for file in files_by_path.values())
    subject.note(quotes, concluded=f"The issue names {', '.join(files_by_path)}.")
    citation = next(iter(files_by_path.values())).citation
    return Selection(
        tuple(file_place(path) for path in files_by_path), f"The issue names {quotes}.", citation=citation
    )


def _by_probability(outcome: Suggestion | NoMatch, subject: Subject) -> Selection | None:
    first = subject.ranking.files[0] if subject.ranking.files else None
    if first is None or first.probability < CLAIM:
        return None
    is_suggested = isinstance(outcome, Suggestion) and outcome.choice.place.path == first.path
    if not is_suggested and subject.ranking.searched < _SMALL:
        return None
    subject.note(
        first.path, concluded=f"Its calibrated probability is {first.probability:.2f}: that is a target."
    )
    if isinstance(outcome, Suggestion) and is_suggested:
        return Selection((outcome.choice.code_place(),), outcome.because, outcome.choice.chain)
    reasons = "; ".join(reason.sentence for reason in first.reasons[:2])
    return Selection(
        (file_place(first.path),), f"{first.path} has a probability of {first.probability:.2f}: {reasons}"
    )
