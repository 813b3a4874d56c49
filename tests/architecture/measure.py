"""Measure the words of the two programs: `python -m tests.architecture.measure [DIR]` prints the figures as a table.

A name is *weak* if it is a participle or a pronoun and nothing else: `found`, `one`, `own`. A reader who searches for the
field's noun does not find it. A participle beside a noun (`found_routes`) is not counted, nor is an attribute that is
assigned (`self.closed = True`): only what is bound counts, which is variables, parameters, fields, functions and classes.
"""

import ast
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PACKAGES = ("pipeline", "github_app")

PRONOUNS = frozenset(
    "another any anything both each either everything few it its itself many more most neither nobody none nothing one ones "
    "oneself other others own same selves several some somebody something such that their them these they this those what "
    "whatever where which who whoever whom whose".split()
)
IRREGULAR_PARTICIPLES = frozenset(
    "been begun bound bought broken brought built caught chosen done drawn driven fallen felt forgotten found given gone got "
    "grown heard held hidden kept known laid left led lost made meant met paid put said seen sent shown sought spent spoken stood "
    "struck stuck taken taught thrown told torn understood unknown unsent unseen unwritten woken won worn written".split()
)
FIELD_WORDS = frozenset(
    # Nouns and verbs that only end like a participle, and names which other libraries and wire formats fixed.
    "bound embed exceed feed hundred indeed left need proceed put red seed speed succeed".split()
)
REGULAR_PARTICIPLE = re.compile(r"[a-z]{2,}ed")


class Binding(NamedTuple):
    """A name where it is bound."""

    name: str
    line: int


class Room(NamedTuple):
    """Figures of one room."""

    files: int
    lines: int
    names: int
    weak: tuple[str, ...]


def is_weak(name: str) -> bool:
    """Whether a name is a bare participle or pronoun: `found`, `_OWNED`, `Given`, `one`."""
    bare = name.strip("_").rstrip("0123456789")
    word = bare.lower()
    if word in FIELD_WORDS or bare not in {word, word.upper(), word.capitalize()}:
        return False
    return word in PRONOUNS or word in IRREGULAR_PARTICIPLES or bool(REGULAR_PARTICIPLE.fullmatch(word))


def bindings(tree: ast.AST) -> Iterator[Binding]:
    """The names that a module binds, one for each place where it does so."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                yield Binding(name, node.lineno)
            case ast.arg(arg=name):
                yield Binding(name, node.lineno)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield Binding(name, node.lineno)
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
            ):
                yield Binding(name, node.lineno)
            case ast.alias(asname=str(name)):
                yield Binding(name, node.lineno)


def public_classes(tree: ast.Module) -> Iterator[str]:
    """Names of the classes at the top of a module that other modules may import."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node.name


def product_files(root: Path = ROOT) -> list[Path]:
    """The Python files of both programs."""
    return sorted(path for package in PACKAGES for path in (root / package).rglob("*.py"))


def room_of(path: Path, root: Path = ROOT) -> str:
    """The room of a file: its folder below the package, or the package for a file that is a room by itself."""
    parts = path.relative_to(root).parts
    return "/".join(parts[:2]) if len(parts) > 2 else parts[0]


def rooms(root: Path = ROOT) -> Mapping[str, Room]:
    """The figures of each room."""
    figures: dict[str, Room] = {}
    for path in product_files(root):
        text = path.read_text(encoding="utf-8")
        names = [binding.name for binding in bindings(ast.parse(text))]
        known = figures.get(room_of(path, root), Room(0, 0, 0, ()))
        figures[room_of(path, root)] = Room(
            known.files + 1,
            known.lines + text.count("\n"),
            known.names + len(names),
            (*known.weak, *filter(is_weak, names)),
        )
    return figures


def repeated_classes(root: Path = ROOT) -> dict[str, list[str]]:
    """Public class names that more than one module of the two programs defines, with those modules."""
    modules: dict[str, list[str]] = {}
    for path in product_files(root):
        for name in public_classes(ast.parse(path.read_text(encoding="utf-8"))):
            modules.setdefault(name, []).append(str(path.relative_to(root)))
    return {name: where for name, where in sorted(modules.items()) if len(where) > 1}


def alike_models(root: Path = ROOT) -> list[tuple[str, str, frozenset[str]]]:
    """Pairs of classes that declare five fields or more by the same names: one thing in two shapes, or a border."""
    models: list[tuple[str, frozenset[str]]] = []
    for path in product_files(root):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                targets = [item.target for item in node.body if isinstance(item, ast.AnnAssign)]
                fields = frozenset(target.id for target in targets if isinstance(target, ast.Name))
                models.append((f"{path.relative_to(root)}:{node.lineno} {node.name}", fields))
    pairs = (
        (first, second, fields & others) for (first, fields), (second, others) in combinations(models, 2)
    )
    return [pair for pair in pairs if len(pair[2]) >= 5]


def comment_lines(root: Path = ROOT) -> Counter[str]:
    """How many lines of each room hold a comment. Slow, because a `#` is one only to the tokenizer."""
    counts: Counter[str] = Counter()
    for path in product_files(root):
        with path.open("rb") as file:
            tokens = tokenize.tokenize(file.readline)
            counts[room_of(path, root)] += sum(token.type == tokenize.COMMENT for token in tokens)
    return counts


def _row(title: str, room: Room, comment_count: int) -> str:
    share = len(room.weak) / room.names if room.names else 0
    comments = comment_count / room.lines if room.lines else 0
    common = ", ".join(f"{word} {count}" for word, count in Counter(room.weak).most_common(6))
    return f"{title:28} {room.files:5} {room.lines:7,} {comments:8.1%} {room.names:7,} {share:7.1%}  {common}"


def _sum(figures: Mapping[str, Room], package: str) -> Room:
    of_package = [room for name, room in figures.items() if name.split("/")[0] == package]
    return Room(
        sum(room.files for room in of_package),
        sum(room.lines for room in of_package),
        sum(room.names for room in of_package),
        tuple(name for room in of_package for name in room.weak),
    )


def main(root: Path) -> None:
    """Print the figures of each room, of both programs, and the class names that stand for two things."""
    figures, comments = rooms(root), comment_lines(root)
    print(f"{'room':28} {'files':>5} {'lines':>7} {'comments':>8} {'names':>7} {'weak':>7}  the most common")
    for name, room in figures.items():
        print(_row(name, room, comments[name]))
    for package in PACKAGES:
        of_package = sum(count for name, count in comments.items() if name.split("/")[0] == package)
        print(_row(f"all of {package}", _sum(figures, package), of_package))
    repeated = repeated_classes(root)
    print(f"\npublic class names used more than once: {len(repeated)}")
    for name, modules in repeated.items():
        print(f"  {name:24} {'  '.join(modules)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve() if sys.argv[1:] else ROOT)
