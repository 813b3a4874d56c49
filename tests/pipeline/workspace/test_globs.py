"""A glob of a model or a repository means what a simple matcher says it means, and takes a bounded time."""

import re
import time
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pipeline.gate.rules import path_matches
from pipeline.workspace.walk_program import Glob

paths = st.text(st.sampled_from("ab/"), max_size=7)


def glob_fits(glob: str, path: str) -> bool:
    return Glob(glob).fits(path)


def meaning(glob: str, path: str) -> bool:
    """By a regular expression for each choice of alternatives."""
    while (lone := re.sub(r"\{([^{},]*)\}", "<\\1>", glob)) != glob:
        glob = lone
    if group := re.search(r"\{([^{}]*)\}", glob):
        before, after = glob[: group.start()], glob[group.end() :]
        return any(meaning(f"{before}{choice}{after}", path) for choice in group[1].split(","))
    signs = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]", "<": r"\{", ">": r"\}"}
    parts = re.findall(r"\*\*/|\*\*|.", glob)
    return re.fullmatch("".join(signs.get(part, re.escape(part)) for part in parts), path) is not None


@given(st.text(st.sampled_from("ab/*?{,}"), max_size=9), paths.map(lambda path: path.replace("b/b", "{,}")))
@example("{a,{b,}}/{a,b", "b/{a,b")
def test_a_glob_means_what_its_regular_expression_means(glob: str, path: str) -> None:
    assert glob_fits(f"/{glob}", f"/{path}") is meaning(f"/{glob}", f"/{path}")


def meaning_in_a_rule(parts: list[str], names: list[str]) -> bool:
    """By trying every number of folders for each `**`."""
    if not parts or parts[0] == "**":
        rests = range(len(names) + 1) if parts else ()
        return any(meaning_in_a_rule(parts[1:], names[skip:]) for skip in rests) or not (parts or names)
    expression = re.escape(parts[0]).replace(r"\*", ".*").replace(r"\?", ".")
    return bool(names and re.fullmatch(expression, names[0])) and meaning_in_a_rule(parts[1:], names[1:])


@given(
    st.lists(st.text(st.sampled_from("ab*?[]!"), max_size=4) | st.just("**"), min_size=1, max_size=4), paths
)
@example(["a", "**"], "a")
@example(["**", "a", "**"], "b/a/a/b")
@example(["*"], "a/b")
def test_a_path_of_a_rule_means_what_a_simple_matcher_says(parts: list[str], path: str) -> None:
    assert path_matches("/".join(parts), path.upper()) is meaning_in_a_rule(parts, path.split("/"))


@pytest.mark.parametrize("fits", [glob_fits, path_matches])
@pytest.mark.parametrize(("part", "text"), [("*a", "a"), ("**/a/", "a/"), ("**/", "a/"), ("**/*a*/", "aa/")])
def test_a_hostile_glob_of_twice_the_length_takes_no_longer_than_its_power(
    fits: Callable[[str, str], bool], part: str, text: str
) -> None:
    """Tried in every way, it would take a thousand times as long; as a power of three, eight times."""

    def seconds(length: int) -> float:
        started = time.process_time()
        for _ in range(20):
            assert not fits(part * length + "x", text * 2 * length + "y")
        return time.process_time() - started

    assert min(seconds(12) for _ in range(3)) < 60 * max(seconds(6) for _ in range(3))
