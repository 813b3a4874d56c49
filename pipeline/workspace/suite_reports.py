"""Read what a test runner reports: how many tests passed, and which ones are red and why.

The report is a file that the runner writes (JUnit XML of pytest; JSON of jest, vitest and mocha; TAP of node), or its output where
it writes none. Code of the repository runs with the runner and can write anything, so a report is data: bounded, never
obeyed, and it comes with the exit code.
"""

import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

from pipeline.workspace.processes import ProcessResult
from pipeline.workspace.runners import Format

_MOST_BYTES = 64 << 20
_LONGEST_NAME = 300
_LONGEST_MESSAGE = 1_500


@dataclass(frozen=True)
class TestResults:
    """Counts, None where nothing says them, and the red tests with their messages.

    `are_named` is false where more tests are red than have a name.
    """

    __test__ = False  # not a test, whatever its name says to a test runner

    passed: int | None
    failed: int | None
    red: Mapping[str, str] = field(default_factory=dict)

    @property
    def are_named(self) -> bool:
        """Whether every red test has a name."""
        return not self.failed or len(self.red) >= self.failed


def read_results(result: ProcessResult, report: Path, report_format: Format, tree: Path) -> TestResults:
    """What came out of a run, from its report if it wrote one that can be read, else from its output."""
    data, reader = _content(report), _READERS.get(report_format)
    if data is None and report_format is Format.MOCHA and '{\n  "stats"' in result.output:
        data = (
            result.output[result.output.index('{\n  "stats"') :].rpartition("}")[0] + "}"
        )  # before version 9.2
    if data is not None and reader is not None:
        try:
            return reader(data, tree)
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError, SyntaxError):
            pass
    output = _ANSI.sub("", result.output)
    if report_format is Format.TAP_OUTPUT:
        return _tap(output, tree)
    return _text(output, is_whole=not result.left_out)


def _content(path: Path) -> str | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        data = file.read(_MOST_BYTES + 1)
    return None if len(data) > _MOST_BYTES or not data.strip() else data.decode("utf-8", "replace")


def _junit(data: str, tree: Path) -> TestResults:
    if "<!DOCTYPE" in data or "<!ENTITY" in data:
        raise ValueError("a report declares no entities")
    pass_count, red = 0, dict[str, str]()
    for case in ET.fromstring(data).iter("testcase"):  # noqa: S314 - it declares no entities
        problems = [child for child in case if child.tag in ("failure", "error")]
        if problems:
            message = problems[0].text or problems[0].get("message") or ""
            red[_node_id(case, tree)] = _cut(message)
        elif case.find("skipped") is None:
            pass_count += 1
    return TestResults(pass_count, len(red), red)


def _node_id(case: ET.Element, tree: Path) -> str:
    """Pytest's own name of a test: `tests/test_a.py::TestA::test_b[c]`; of a module that cannot be imported, its path."""
    path, inside, name = case.get("file") or "", case.get("classname") or "", case.get("name") or ""
    if not inside:
        module = f"{name.replace('.', '/')}.py"
        return _name(module if (tree / module).is_file() else name)
    if not path:
        return _name(f"{inside}.{name}")
    module = path.removesuffix(".py").replace("/", ".")
    classes = inside.removeprefix(module).strip(".")
    return _name("::".join([path, *(classes.split(".") if classes and classes != inside else ()), name]))


def _jest(data: str, tree: Path) -> TestResults:
    pass_count, red = 0, dict[str, str]()
    for file in json.loads(data)["testResults"]:
        path = _inside(file["name"], tree)
        for test in file["assertionResults"]:
            if test["status"] == "failed":
                title = " > ".join([*test.get("ancestorTitles", ()), test["title"]])
                red[_name(f"{path} > {title}")] = _cut("\n".join(test.get("failureMessages") or ()))
            elif test["status"] == "passed":
                pass_count += 1
        if file["status"] == "failed" and not file["assertionResults"]:
            red[_name(path)] = _cut(file.get("message") or "")
    return TestResults(pass_count, len(red), red)


def _mocha(data: str, tree: Path) -> TestResults:
    document = json.loads(data)
    red = dict[str, str]()
    for test in document["failures"]:
        path = _inside(test.get("file") or "", tree)
        error = test.get("err") or {}
        red[_name(f"{path} > {test['fullTitle']}")] = _cut(error.get("stack") or error.get("message") or "")
    return TestResults(int(document["stats"]["passes"]), int(document["stats"]["failures"]), red)


_TAP_LINE = re.compile(r"^(\s*)(not )?ok\b(?:\s+\d+)?(?:\s+-)?\s*(.*?)(?:\s+#\s*(\w+).*)?$")
_TAP_PLACE = re.compile(r"^[ \t]*location: '([^']+?):\d+:\d+'", re.MULTILINE)


def _tap(data: str, tree: Path) -> TestResults:
    """Tests of TAP. A test around others is red because one of those is, so only the inner ones count."""
    pass_count, red = 0, dict[str, str]()
    lines, within = [line[:_LONGEST_MESSAGE] for line in data.splitlines()], list[tuple[int, str]]()
    for number, line in enumerate(lines):
        if subtest := re.match(r"(\s*)# Subtest: (.*)$", line):
            depth = len(subtest.group(1))
            within = [*((at, name) for at, name in within if at < depth), (depth, subtest.group(2))]
        if (match := _TAP_LINE.match(line)) is None or match.group(4) in ("SKIP", "skip", "TODO", "todo"):
            continue
        depth = len(match.group(1))
        details = _details(lines, number, depth)
        if re.search(r"type: 'suite'|failureType: 'subtestsFailed'", details):
            continue
        if not match.group(2):
            pass_count += 1
            continue
        place = _TAP_PLACE.search(details)
        titles = [name for at, name in within if at < depth] + [match.group(3)]
        path = _inside(place.group(1), tree) if place else ""
        red[_name(" > ".join([path, *titles] if path else titles))] = _cut(details)
    return TestResults(pass_count, len(red), red)


def _details(lines: list[str], number: int, depth: int) -> str:
    """The lines below a result that are indented further than it is."""
    block = []
    for line in lines[number + 1 : number + 60]:
        if line.strip() and len(line) - len(line.lstrip()) <= depth:
            break
        block.append(line[depth:])
    return "\n".join(block)


_READERS = {Format.JUNIT: _junit, Format.JEST: _jest, Format.MOCHA: _mocha, Format.TAP: _tap}


_PASSED_AND_FAILED = (
    # pytest: "== 1 failed, 4 passed, 1 error in 0.12s ==", with -q without the signs
    (
        r"^=*[ \t]*(?:\d+ \w+, )*(\d{1,9}) passed\b.* in [\d.]+s",
        r"^=*[ \t]*(?:\d+ \w+, )*(\d{1,9}) (?:failed|errors?)\b.* in [\d.]+s",
    ),
    # node --test, as TAP and as text
    (r"^(?:#|ℹ) pass (\d{1,9})$", r"^(?:#|ℹ) fail (\d{1,9})$"),
    # jest, vitest
    (r"^[ \t]*Tests:?[ \t].*?(\d{1,9}) passed", r"^[ \t]*Tests:?[ \t].*?(\d{1,9}) failed"),
    # mocha
    (r"^[ \t]*(\d{1,9}) passing\b", r"^[ \t]*(\d{1,9}) failing\b"),
)
"""How runners say how many tests passed, and how many failed."""

_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")

_FAILED_NAMES = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^(?:FAILED|ERROR) (\S+\.py(?:::.+?)?)(?: - .*)?$",  # pytest
        r"^[ \t]*not ok \d+ - (.+?)(?: # .*)?$",  # TAP, node --test into a pipe
        r"^[ \t]*✖ (.+?)(?: \([\d.]+ms\))?$",  # node --test
        r"^[ \t]*● (.+ › .+)$",  # jest
        r"^[ \t]*(?:FAIL|×)[ \t]+(.+ > .+?)(?: \d+ms)?$",  # vitest
        r"^[ \t]*--- FAIL: (\S+)",  # go test -v
        r"^  \d+\) (.+(?:\n {7}.+)*?):\n\n",  # mocha
    )
)
"""How runners name a red test."""

_UNITTEST = re.compile(r"^(?:FAIL|ERROR): (\S+)(?: \(([\w.]+)\))?", re.MULTILINE)
_UNITTEST_END = re.compile(
    r"^Ran (\d{1,9}) tests? in [\d.]+s\n+(?:OK|FAILED|NO TESTS RAN)(?: \(([^)]*)\))?", re.MULTILINE
)


def _text(output: str, *, is_whole: bool) -> TestResults:
    """From what a runner prints. Names count only where no line of the output is missing."""
    endings = list(_UNITTEST_END.finditer(output))
    if endings:
        return _unittest(output, endings[-1], is_whole=is_whole)
    counts = _counts(output, is_whole=is_whole)
    name_lists = ([" ".join(name.split()) for name in pattern.findall(output)] for pattern in _FAILED_NAMES)
    names = next((names for names in name_lists if names), []) if is_whole else []
    return TestResults(*counts, {_name(name): "" for name in names})


def _unittest(output: str, ending: "re.Match[str]", *, is_whole: bool) -> TestResults:
    """unittest, and what is made of it (Django): `FAIL: test_a (orders.tests.TestA.test_a)`."""
    counts = {key: int(number) for key, number in re.findall(r"(\w+)=(\d{1,9})\b", ending.group(2) or "")}
    fail_count = counts.get("failures", 0) + counts.get("errors", 0)
    red = {}
    for name, place in _UNITTEST.findall(output) if is_whole else ():
        dotted = place if place.endswith(f".{name}") or not place else f"{place}.{name}"
        red[_name(dotted or name)] = ""
    skip_count = counts.get("skipped", 0)
    return TestResults(max(0, int(ending.group(1)) - fail_count - skip_count), fail_count, red)


def _counts(output: str, *, is_whole: bool) -> tuple[int | None, int | None]:
    for passed_as, failed_as in _PASSED_AND_FAILED:
        passed_counts = re.findall(passed_as, output, re.MULTILINE)
        failed_counts = re.findall(failed_as, output, re.MULTILINE)
        if passed_counts or failed_counts:
            return _last(passed_counts), _last(failed_counts)
    if re.search(r"^=*[ \t]*no tests ran in ", output, re.MULTILINE):
        return 0, 0
    # Go counts nothing itself. Its lines can only be counted where none is missing.
    lines = re.findall(r"^--- (PASS|FAIL): ", output, re.MULTILINE) if is_whole else []
    return (lines.count("PASS"), lines.count("FAIL")) if lines else (None, None)


def _last(counts: list[str]) -> int:
    return int(counts[-1]) if counts else 0


def _inside(path: str, tree: Path) -> str:
    """A path of a report as git writes it."""
    root = str(tree.resolve())
    return path.removeprefix(root).removeprefix(str(tree)).removeprefix("/")


def _name(name: str) -> str:
    return " ".join(name.split())[:_LONGEST_NAME] or "(a test without a name)"


def _cut(message: str) -> str:
    text = _ANSI.sub("", message).strip()
    return (
        text
        if len(text) <= _LONGEST_MESSAGE
        else f"{text[: _LONGEST_MESSAGE // 3]}\n[…]\n{text[-_LONGEST_MESSAGE * 2 // 3 :]}"
    )


def tail(output: str, limit: int) -> str:
    """The end of an output, as text."""
    text = _ANSI.sub("", output)
    return text if len(text) <= limit else f"[…]\n{text[-limit:]}"


def reds_in_words(red: Mapping[str, str], limit: int) -> Iterator[str]:
    """Names and messages of red tests, as many as fit."""
    length = 0
    for number, (name, message) in enumerate(red.items()):
        entry = f"{name}\n{message}".rstrip()
        length += len(entry)
        if number and length > limit:
            yield f"and {len(red) - number} more: {', '.join(list(red)[number : number + 20])}"
            return
        yield entry
