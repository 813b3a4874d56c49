"""The gate's laws: nothing unnamed is allowed, the strictest rule wins, and no spelling of a call is a way around one."""

import shlex
import string
from contextlib import suppress
from itertools import permutations
from random import Random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pipeline.domain.command_line import CommandRefused, words_of
from pipeline.gate.gate import NOT_PLAIN, Gate
from pipeline.gate.plain_call import NotPlain, plain_command
from pipeline.gate.rules import Rule, Tier
from pipeline.gate.rules_file import load_gate
from pipeline.gate.tool_names import PATH_TOOLS, Tool
from tests.pipeline.gate.hostile_calls import every_hostile_call

SHIPPED = load_gate()


@pytest.mark.parametrize("value", [None, 7, True, ["pytest"], {"command": "pytest"}])
@pytest.mark.parametrize(
    ("tool", "key"), [("run_command", "command"), ("read_file", "path"), ("search_code", "path")]
)
def test_an_argument_of_another_type_is_denied(tool: str, key: str, value: object) -> None:
    assert SHIPPED.decide(tool, {key: value}).tier is Tier.DENY  # type: ignore[dict-item]


def test_a_missing_argument_is_denied() -> None:
    assert {
        SHIPPED.decide(tool, {}).tier for tool in ("run_command", "read_file", "edit_file", "create_file")
    } == {Tier.DENY}


def rule(id_: str, tier: Tier, *paths: str) -> Rule:
    return Rule(id=id_, tier=tier, tools=(Tool.EDIT_FILE,), paths=paths or ("**",), why="because")


@pytest.mark.parametrize(
    "order",
    list(
        permutations(
            [rule("a", Tier.ALLOW), rule("c", Tier.CONFIRM, "docs/**"), rule("d", Tier.DENY, "**/x.md")]
        )
    ),
)
def test_the_strictest_rule_wins_in_any_order(order: tuple[Rule, ...]) -> None:
    gate = Gate(order)
    decided = [gate.decide("edit_file", {"path": path}).tier for path in ("a.md", "docs/a.md", "docs/x.md")]
    assert decided == [Tier.ALLOW, Tier.CONFIRM, Tier.DENY]


def test_a_rule_that_allows_a_path_speaks_of_what_it_leads_to_as_well() -> None:
    gate = Gate([rule("a", Tier.ALLOW, "docs/**")])
    decided = [gate.decide("edit_file", {"path": "docs/a"}, real_path=real).tier for real in ("docs/b", "b")]
    assert decided == [Tier.ALLOW, Tier.DENY]


GOLDEN = list(every_hostile_call())

words = st.text(st.characters(codec="utf-8"), max_size=30)
hostile = st.sampled_from([hostile_call.written for hostile_call in GOLDEN])
argument = words | hostile | st.none() | st.integers() | st.lists(words, max_size=2)
tools = st.sampled_from([*Tool, "delete_file"]) | words
calls = st.tuples(
    tools, st.dictionaries(st.sampled_from(["path", "command", "text"]) | words, argument, max_size=3)
)

patterns = st.lists(
    st.sampled_from(["**", "*", "src", "docs", ".github", "*.py", "x.md", "?"]), min_size=1, max_size=3
).map("/".join)
programs = st.sampled_from(["pytest", "npm", "test", "go", "make"])


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    """Any rule that the form of the file allows."""
    tier = draw(st.sampled_from(Tier))
    by = draw(st.sampled_from(["path", "command", "tool"]))
    given: dict[str, object] = {
        "id": draw(st.from_regex(r"[a-z]{1,3}", fullmatch=True)),
        "tier": tier,
        "why": "x",
    }
    if by == "path":
        given["tools"] = draw(st.lists(st.sampled_from(sorted(PATH_TOOLS)), min_size=1, unique=True))
        given["paths"] = draw(st.lists(patterns, min_size=1, max_size=2))
    elif by == "command":
        given |= {"tools": [Tool.RUN_COMMAND], "network": tier is not Tier.DENY and draw(st.booleans())}
        words_of = st.fixed_dictionaries(
            {
                "words": st.lists(programs, min_size=1, max_size=2),
                "flags": st.lists(st.sampled_from(["-q", "-v"])),
                "paths": st.booleans(),
            }
        )
        given["commands"] = draw(st.lists(words_of, min_size=1, max_size=2))
    else:
        free = set(Tool) - PATH_TOOLS - {Tool.RUN_COMMAND} if tier is Tier.ALLOW else set(Tool)
        given["tools"] = draw(st.lists(st.sampled_from(sorted(free)), min_size=1, unique=True))
    return Rule.model_validate(given)


sets_of_rules = st.lists(rules(), max_size=6)
plain_calls = st.tuples(st.sampled_from(sorted(PATH_TOOLS)), patterns).map(
    lambda made: (made[0].value, {"path": made[1].replace("*", "a").replace("?", "b")})
) | st.lists(programs | st.sampled_from(["-q", "-x", "src", "../x"]), min_size=1, max_size=3).map(
    lambda made: ("run_command", {"command": " ".join(made)})
)
any_call = calls | plain_calls


def named_by(rule: Rule, tool: str, given: dict[str, Any]) -> bool:
    """Whether a rule alone speaks about a call: as one that denies nothing, it would not come to the same as no rule."""
    return Gate([rule]).decide(tool, given).rule == rule.id


@given(any_call, sets_of_rules)
def test_what_no_rule_names_is_denied_whatever_it_is_called_and_given(
    call: tuple[str, dict[str, Any]], made: list[Rule]
) -> None:
    tool, given = call
    assert Gate(()).decide(tool, given).tier is Tier.DENY
    decision = Gate(made).decide(tool, given)
    naming = [rule for rule in made if named_by(rule, tool, given)]
    if not naming:
        assert decision.tier is Tier.DENY
        assert decision.rule in (None, NOT_PLAIN)
        assert not decision.network
    else:
        assert decision.tier.strictness == max(rule.tier.strictness for rule in naming)


@given(any_call, sets_of_rules, st.randoms(use_true_random=False))
def test_the_order_of_rules_means_nothing(
    call: tuple[str, dict[str, Any]], made: list[Rule], chance: Random
) -> None:
    unique = list({rule.id: rule for rule in made}.values())
    shuffled = list(unique)
    chance.shuffle(shuffled)
    assert Gate(unique).decide(*call) == Gate(shuffled).decide(*call)


@given(any_call, sets_of_rules, rules())
def test_a_rule_more_that_denies_or_confirms_makes_no_call_freer(
    call: tuple[str, dict[str, Any]], made: list[Rule], more: Rule
) -> None:
    before, after = Gate(made).decide(*call), Gate([*made, more]).decide(*call)
    if before.tier is not Tier.DENY or before.rule is not None:
        assert after.tier.strictness >= before.tier.strictness
    if more.tier is Tier.DENY:
        assert after.tier.strictness >= before.tier.strictness


@given(any_call)
def test_the_shipped_rules_allow_nothing_without_naming_it(call: tuple[str, dict[str, Any]]) -> None:
    decision = SHIPPED.decide(*call)
    assert decision.tier is Tier.DENY or decision.rule is not None
    assert not decision.network, "no shipped rule gives a network"


LOOKS_LIKE = {
    "g": "ɡｇ",
    "i": "іıｉ",
    "h": "һｈ",
    "o": "оｏ",
    "e": "еｅ",
    "s": "ѕｓ",
    "a": "аα",
    ".": "．․",
    "/": "∕⁄／",
}
INVISIBLE = "\u200b\u200c\u2060\ufeff\u00ad\u202e\U000e0041"
DENIED_PATHS = [
    hostile_call.written
    for hostile_call in GOLDEN
    if hostile_call.rule in ("workflows", "credentials") and not hostile_call.links
]


def respelt(draw: st.DrawFn, path: str) -> str:
    """The same file, or one that a person or some system takes for it."""
    at = draw(st.integers(0, len(path) - 1))
    match draw(
        st.sampled_from(["case", "dot", "slash", "up", "invisible", "alike", "end", "back", "absolute"])
    ):
        case "case":
            return "".join(letter.swapcase() if draw(st.booleans()) else letter for letter in path)
        case "dot":
            return draw(st.sampled_from(["./", "././", ".//"])) + path
        case "slash":
            return path.replace("/", draw(st.sampled_from(["//", "/./", "///"])))
        case "up":
            return draw(st.sampled_from(["src/../", "../x/", "./src/.././"])) + path
        case "invisible":
            return path[:at] + draw(st.sampled_from(INVISIBLE)) + path[at:]
        case "alike":
            return (
                path[:at] + draw(st.sampled_from(LOOKS_LIKE.get(path[at].lower(), path[at]))) + path[at + 1 :]
            )
        case "end":
            return path + draw(st.sampled_from([" ", ".", "::$DATA", "\0", "\n", "/.", "/"]))
        case "back":
            return path.replace("/", "\\")
    return draw(st.sampled_from(["/", "//", "C:/", "~/", "file:"])) + path


@given(st.data(), st.sampled_from(DENIED_PATHS), st.sampled_from(["edit_file", "create_file"]))
def test_no_other_spelling_of_a_denied_path_is_allowed(data: st.DataObject, path: str, tool: str) -> None:
    once = data.draw(st.composite(respelt)(path))
    twice = data.draw(st.composite(respelt)(once))
    for spelt in (once, twice):
        # A letter that looks like another may make a name that is another to every system: it is denied all the same,
        # or the respelling has left it as it was.
        assert SHIPPED.decide(tool, {"path": spelt}).tier is Tier.DENY, spelt


ALLOWED = {("pytest",): {"-q", "-v", "-x"}, ("npm", "test"): set(), ("go", "test"): {"-v"}}
pieces = st.sampled_from(
    "pytest npm test go -q -v -x -p -o -c -exec -toolexec=evil --rootdir=/ --prefix -- --script-shell=x -qp evil "
    "tests ./... tests/test_a.py::test_b ../x /etc .git @x A=b '' \" ' \"-p\" '-exec' ; && | > $x `x` \n \t \0 é = , ~ *".replace(
        "\\n", "\n"
    ).split(" ")
)


@given(st.lists(pieces, max_size=6), st.lists(st.sampled_from([" ", "  ", ""]), min_size=6, max_size=6))
@example(["pytest", "tests"], [" "] * 6)
@example(["go", "test", "-v", "./..."], [" "] * 6)
def test_no_quoting_and_no_more_argument_makes_a_command_allowed(
    parts: list[str], between: list[str]
) -> None:
    """By a reading of its own: what a shell would split it into, and what may stand in each place."""
    command = "".join(part + gap for part, gap in zip(parts, between, strict=False))
    if SHIPPED.decide("run_command", {"command": command}).tier is not Tier.ALLOW:
        return
    told = shlex.split(command)
    [program] = [start for start in ALLOWED if told[: len(start)] == list(start)]
    rest = told[len(program) :]
    assert all(word in ALLOWED[program] for word in rest if word.startswith("-"))
    places = [word for word in rest if not word.startswith("-")]
    assert not places or program != ("npm", "test")
    assert not any(
        word.startswith(("/", "@", "~")) or ".." in word.replace("...", "").split("/") for word in places
    )
    assert set(command) <= set(string.ascii_letters + string.digits + " _./:,+@='\"-")


@given(st.text(st.sampled_from(string.ascii_lowercase[:4] + " _./:,+@='\"-"), max_size=30))
def test_what_is_run_is_what_was_decided_on(command: str) -> None:
    """The gate and the workspace each split a command; were they of two minds, one thing would be allowed and another run."""
    try:
        decided_on = plain_command(command)
    except NotPlain:
        return
    with suppress(CommandRefused):  # what the workspace does not run at all
        assert words_of(command) == decided_on
