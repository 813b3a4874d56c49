"""The words of the code: a class name stands for one thing, and a name is the field's noun for what it holds.

Who brings a figure down lowers its bound here.
"""

import re

from tests.architecture.measure import (
    PACKAGES,
    ROOT,
    alike_models,
    is_weak,
    product_files,
    repeated_classes,
    rooms,
)

MOST_WEAK = 0.006
"""The largest share of weak names in a program."""

MOST_REPEATED_CLASSES = 1
"""Public class names that more than one module defines.

`GitHubRefused` says the same in both programs, which share no code, and its name is the `kind` of a failure.
"""

MOST_ALIKE_MODELS = 22
"""Pairs of classes that share five fields or more. What is left are borders: a document of GitHub, of a model or of a page."""

MOST_PHRASES = {
    r"nobody": 18,
    r"beside": 57,
    r"as (?:it is|they are|it stands|they stand)": 12,
    r"whoever": 4,
    r"shall": 9,
    r"comes? to nothing": 0,
}
"""Phrases that a native technical writer would not use, and how often all pages, workflows and program texts hold each."""

KEPT_FOR_OTHERS = frozenset({"stages/tests.py"})
"""The stage `tests` is named in definitions and records."""


def test_a_participle_or_a_pronoun_alone_is_a_weak_name() -> None:
    weak = ("found", "_OWNED", "Given", "one", "told", "own", "scored")
    assert [name for name in weak if not is_weak(name)] == []
    assert not any(map(is_weak, ("found_routes", "StageFailed", "seed", "left", "routes", "is_found", "_")))


def test_the_share_of_weak_names_does_not_grow() -> None:
    figures = rooms()
    for package in PACKAGES:
        of_package = [room for name, room in figures.items() if name.split("/")[0] == package]
        share = sum(len(room.weak) for room in of_package) / sum(room.names for room in of_package)
        assert share < MOST_WEAK, f"{package}: {share:.1%}. See: python -m tests.architecture.measure"


def test_no_more_class_names_stand_for_two_things() -> None:
    repeated = repeated_classes()
    assert len(repeated) <= MOST_REPEATED_CLASSES, repeated


def test_no_more_models_stand_for_the_same_thing() -> None:
    pairs = alike_models()
    shown = "\n".join(f"{first} = {second}: {' '.join(sorted(fields))}" for first, second, fields in pairs)
    assert len(pairs) <= MOST_ALIKE_MODELS, f"declare the fields once:\n{shown}"


def test_no_product_file_is_named_like_a_test() -> None:
    names = [
        path.as_posix() for path in product_files() if re.match(r"test_|.*_test\.py|tests?\.py", path.name)
    ]
    assert [name for name in names if not name.endswith(tuple(KEPT_FOR_OTHERS))] == []


def test_the_phrases_of_another_language_become_fewer() -> None:
    pages = [ROOT / "README.md", ROOT / "action.yml", *(ROOT / "docs").glob("*.md")]
    templates = [*ROOT.glob("pipeline/commands/templates/*.yml"), *ROOT.glob("github_app/action/*.yml")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in (*pages, *templates, *product_files()))
    counts = {phrase: len(re.findall(rf"\b{phrase}\b", text, re.IGNORECASE)) for phrase in MOST_PHRASES}
    assert {phrase: count for phrase, count in counts.items() if count > MOST_PHRASES[phrase]} == {}
