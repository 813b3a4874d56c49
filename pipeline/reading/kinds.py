"""What kind of issue it is: by its labels, then its template, then the prefix of its title, then by the weight of words."""

import re
from collections.abc import Sequence

from pipeline.domain.issue import Citation, CitationKind, IssueKind, SectionRole
from pipeline.reading.language_data import KIND_WEIGHTS, KIND_WORDS, words_in
from pipeline.reading.sections import Stretch
from pipeline.reading.templates import IssueTemplate

_PREFIX = re.compile(
    r"(?::\w+:|[^\w\s\x00-\x7f【]|\s)*"  # emoji, as signs or as names
    r"(?:[\[(【](?P<brackets>[^\])】]{2,40})[\])】]|(?P<word>[^\W\d_][\w /-]{1,30}?)(?:\([^()]{0,40}\))?!?\s*(?::|：|\s[-–—]\s))"
)
_CASE_JOIN = re.compile(r"(?<=[a-z])(?=[A-Z])|[_/:.\-]+")
_MARGIN = 1
"""By so much the weight for one kind must pass that for every other. On 59 labelled issues 1 was as right as 2, and said twice as much."""

_SECTIONS = {
    SectionRole.ACTUAL: IssueKind.BUG,
    SectionRole.STEPS: IssueKind.BUG,
    SectionRole.WISH: IssueKind.FEATURE,
}
_SECTION_WEIGHT = 2
_FRAME_WEIGHT = 2


def kind_of(
    title: str,
    labels: Sequence[str],
    template: IssueTemplate | None,
    stretches: Sequence[Stretch],
    citations: Sequence[Citation],
) -> tuple[IssueKind, str]:
    """The kind, and why, in a sentence. The first source that names exactly one counts; words decide only with a clear lead."""
    prefix = _PREFIX.match(title)
    sources = (
        ("The label", labels),
        ("The template", (template.name, *template.labels) if template else ()),
        ("The title's prefix", (prefix["brackets"] or prefix["word"],) if prefix else ()),
    )
    for source, texts in sources:
        text_by_kind = {kind: text for text in reversed(texts) for kind in _kinds_in(text)}
        if len(text_by_kind) == 1:
            kind, text = next(iter(text_by_kind.items()))
            return kind, f"{source} “{text.strip()}” says {kind.value}."
    return _by_weight(title, stretches, citations)


def _kinds_in(text: str) -> set[IssueKind]:
    """The kinds that a short text names: `type:Bug`, `C-enhancement`, `kind/feature`, `🐛 Bug report`.

    Bug and feature go before other kinds: "documentation bug" is a bug.
    """
    plain = " ".join(_CASE_JOIN.split(text))
    kinds = {kind for kind, words in KIND_WORDS.items() if words_in(plain, words)}
    return kinds - {IssueKind.OTHER} or kinds


def _by_weight(
    title: str, stretches: Sequence[Stretch], citations: Sequence[Citation]
) -> tuple[IssueKind, str]:
    signs = [
        (kind, 1, f"“{word}” in the title")
        for kind, words in KIND_WEIGHTS.items()
        for word in words_in(title, words)
    ]
    headings = {stretch.role: stretch.heading for stretch in stretches if stretch.heading}
    for role, kind in _SECTIONS.items():
        if role in headings:
            signs.append((kind, _SECTION_WEIGHT, f"the section “{headings[role]}”"))
    if any(citation.kind is CitationKind.FRAME for citation in citations):
        signs.append((IssueKind.BUG, _FRAME_WEIGHT, "a traceback"))
    weights = dict.fromkeys((IssueKind.BUG, IssueKind.FEATURE, IssueKind.OTHER), 0)
    for kind, weight, _ in signs:
        weights[kind] += weight
    best, second = sorted(weights, key=lambda kind: -weights[kind])[:2]
    if weights[best] - weights[second] >= _MARGIN:
        reasons = [reason for kind, _, reason in signs if kind is best]
        return best, f"The words weigh for {best.value}: {', '.join(reasons[:4])}."
    return (
        IssueKind.UNSURE,
        "No label, template or prefix says which kind it is, and the words have no clear lead.",
    )
