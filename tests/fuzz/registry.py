"""Fuzz the registry: real source files are mutated, read into facts, and linked in small groups.

    python -m tests.fuzz.registry --files 100000 --seed 1 --sources FOLDER --sources FOLDER

Five files that stand next to each other are mutated and linked together. A group has a seed of its own, so that a failure
is seen again by its number: `--first 4710 --files 5`. A failure is an exception that reading does not answer with a reason, a
fault that linking notes, facts that do not come back from their bytes, and more than two seconds of processor time. Each group
has a process of its own, which the kernel ends where tree-sitter hangs, as it does in the product; such a group counts
under "not read" as `Hung`, with its other files.
"""

import hashlib
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path, PurePath
from random import Random
from types import FrameType

import click

from pipeline.code_registry.all_languages import LANGUAGES, language_of
from pipeline.code_registry.facts import FileFacts
from pipeline.code_registry.failures import FAULTS, failure_of
from pipeline.code_registry.language import Language
from pipeline.code_registry.languages.grammars import TooDeep
from pipeline.code_registry.linker import Linker
from pipeline.code_registry.reading import MOST_SECONDS, limit_processor_time
from pipeline.code_registry.rows import from_bytes, to_bytes
from pipeline.code_registry.tree import LARGEST as TOO_LARGE
from pipeline.code_registry.tree import FileRefused, check_source

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "tests" / "sample_repositories"
LONGEST_SECONDS = 2.0
GROUP = 5
LARGEST = 30_000
"""Bytes of a source that is mutated; reading takes as long as a file is, and 100,000 files are many."""
MOST_MUTATIONS = 4
_FORK = get_context("fork")


class OverTime(BaseException):
    """A file or a group took too long: no reader may catch it."""


@dataclass
class Report:
    """What a run came to. `slowest`: seconds, and the number of the first file of the group."""

    files: int = 0
    unfit: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    slowest: tuple[float, int] = (0.0, 0)

    def add(self, group: "Report") -> None:
        """Take over what a group came to."""
        self.files += group.files
        self.unfit += group.unfit
        self.failures += group.failures
        self.slowest = max(self.slowest, group.slowest)

    def measured(self, number: int, seconds: float) -> None:
        """Keep the slowest, and call it a failure if it is over the limit."""
        self.slowest = max(self.slowest, (seconds, number))
        if seconds > LONGEST_SECONDS:
            self.failures.append(f"{number}: {seconds:.1f} s")


@dataclass(frozen=True)
class Source:
    """A file, and its path below the folder that was named."""

    file: Path
    path: str


def read_group(
    language: Language, sources: Sequence[Source], seed: int, numbers: range, *, is_limited: bool = False
) -> Report:
    """Mutate, read and link a group: files that stand next to each other, with the nearest file that says what their imports
    mean. `is_limited`: the kernel ends this process where the parser does not come back.
    """
    report = Report()
    random = Random(f"{seed} {language.name} {numbers.start}")
    at = random.randrange(len(sources))
    group = dict(_modules(language, sources[at]))
    for number in range(at, at + len(numbers)):
        source = sources[number % len(sources)]
        data = mutate(random, source.file.read_bytes()[:LARGEST], random.choice(sources).file)
        if is_limited:
            _extract_within_limit(language, data)
        facts = _extract(language, data, numbers.start, report)
        if facts is not None:
            group[source.path] = facts
    _link(language, group, numbers.start, report)
    return report


def read_group_in_child(language: Language, sources: Sequence[Source], seed: int, numbers: range) -> Report:
    """The same in a child of this process, which the parser may hang."""
    receiver, sender = _FORK.Pipe(duplex=False)

    def send_report() -> None:
        sender.send(read_group(language, sources, seed, numbers, is_limited=True))

    child = _FORK.Process(target=send_report)
    child.start()
    sender.close()
    try:
        with receiver:
            report: Report = receiver.recv()
    except EOFError:
        child.join()
        if child.exitcode == -signal.SIGPROF:
            return Report(len(numbers), Counter(Hung=len(numbers)))
        return Report(len(numbers), failures=[f"{numbers.start}: exit code {child.exitcode}"])
    child.join()
    return report


def fuzz(
    language: Language,
    sources: Sequence[Source],
    seed: int,
    numbers: range,
    log: Callable[[str], None],
    read: Callable[[Language, Sequence[Source], int, range], Report] = read_group,
) -> Report:
    """Mutate, read and link as many files as there are numbers, in groups."""
    report = Report()
    for first in range(numbers.start, numbers.stop, GROUP):
        report.add(read(language, sources, seed, range(first, min(first + GROUP, numbers.stop))))
        if first % 1000 == 0:
            log(
                f"{language.name}: {report.files} files, slowest {report.slowest}, failures {report.failures}"
            )
    return report


def _extract_within_limit(language: Language, data: bytes) -> None:
    limit_processor_time(MOST_SECONDS)
    with suppress(*FAULTS, FileRefused, TooDeep):
        check_source(data[:TOO_LARGE])
        language.extract(data[:TOO_LARGE])
    limit_processor_time(0)  # no limit any more


def _modules(language: Language, source: Source) -> Iterator[tuple[str, FileFacts]]:
    """The facts of the nearest files that name a module or its aliases."""
    folder, path = source.file.parent, PurePath(source.path).parent
    while path.parts:
        for name in ("go.mod", "tsconfig.json"):
            if (folder / name).is_file() and language_of(name) is language:
                yield f"{path}/{name}", language.extract((folder / name).read_bytes())
        folder, path = folder.parent, path.parent


def _extract(language: Language, data: bytes, number: int, report: Report) -> FileFacts | None:
    report.files += 1
    started = time.process_time()
    facts = None
    try:
        check_source(data[:TOO_LARGE])
        with _time_limit():
            facts = language.extract(data[:TOO_LARGE])
            if from_bytes(to_bytes(facts), FileFacts) != facts:
                report.failures.append(f"{number}: the facts differ from those that were written")
    except (
        FileRefused,
        TooDeep,
        RecursionError,
        UnicodeEncodeError,
    ) as unfit:  # what reading answers with a reason
        report.unfit[type(unfit).__name__] += 1
        facts = None
    except FAULTS as error:
        report.failures.append(f"{number}: {failure_of('file', error)}")
    except OverTime:
        facts = None
    report.measured(number, time.process_time() - started)
    return facts


def _link(language: Language, group: dict[str, FileFacts], number: int, report: Report) -> None:
    started = time.process_time()
    try:
        with _time_limit():
            for entries in Linker(language, dict(sorted(group.items())), group.keys()).link():
                report.failures += [f"{number} linking: {failure}" for failure in entries.failures]
                to_bytes(entries)
    except FAULTS as error:
        report.failures.append(f"{number} linking: {failure_of('group', error)}")
    except OverTime:
        pass
    report.measured(number, time.process_time() - started)


@contextmanager
def _time_limit() -> Iterator[None]:
    """End what takes far too long. Processor time counts, since the machine may be busy with other work."""

    def give_up(_number: int, _frame: FrameType | None) -> None:
        raise OverTime

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST_SECONDS * 2)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def mutate(random: Random, data: bytes, other: Path) -> bytes:
    """A source with some of its parts changed."""
    for _ in range(random.randint(1, MOST_MUTATIONS)):
        data = random.choice(_MUTATIONS)(random, data, other)
    return data


def _part(random: Random, data: bytes) -> tuple[int, int]:
    """Where a part begins and ends: lines as often as bytes."""
    start = random.randint(0, len(data))
    end = min(len(data), start + random.choice((1, 3, 20, 200, 2000)))
    if random.random() < 0.5:
        start = data.rfind(b"\n", 0, start) + 1
        after = data.find(b"\n", end)
        end = after + 1 if after >= 0 else len(data)
    return start, end


def _cut(random: Random, data: bytes, _other: Path) -> bytes:
    start, end = _part(random, data)
    return data[:start] + data[end:]


def _end_early(random: Random, data: bytes, _other: Path) -> bytes:
    return data[: random.randint(0, len(data))]


def _duplicate(random: Random, data: bytes, _other: Path) -> bytes:
    start, end = _part(random, data)
    return data[:end] + data[start:end] * random.choice((1, 2, 30)) + data[end:]


def _swap(random: Random, data: bytes, _other: Path) -> bytes:
    (start, end), (from_, to) = sorted((_part(random, data), _part(random, data)))
    if end > from_:
        return data
    return data[:start] + data[from_:to] + data[end:from_] + data[start:end] + data[to:]


def _splice(random: Random, data: bytes, other: Path) -> bytes:
    there = other.read_bytes()[:LARGEST]
    at, (start, end) = random.randint(0, len(data)), _part(random, there)
    return data[:at] + there[start:end] + data[at:]


def _rename(random: Random, data: bytes, _other: Path) -> bytes:
    """One word becomes another of the same file, everywhere: names then lead to themselves and to each other."""
    words = [word for word in data.replace(b".", b" ").replace(b"(", b" ").split() if word.isalnum()]
    return data.replace(random.choice(words), random.choice(words)) if words else data


def _nest(random: Random, data: bytes, _other: Path) -> bytes:
    start, end = _part(random, data)
    opening, closing = random.choice(_BRACKETS)
    depth = random.choice((2, 20, 60, 300, 3000))
    return data[:start] + opening * depth + data[start:end] + closing * depth + data[end:]


def _drop_brackets(random: Random, data: bytes, _other: Path) -> bytes:
    bracket = random.choice(b"()[]{}<>\"'`:,").to_bytes(1)
    return data.replace(bracket, b"", random.choice((1, 5, -1)))


def _odd_characters(random: Random, data: bytes, _other: Path) -> bytes:
    at = random.randint(0, len(data))
    return data[:at] + random.choice(_ODD) * random.choice((1, 1, 50)) + data[at:]


def _long_line(random: Random, data: bytes, _other: Path) -> bytes:
    start, end = _part(random, data)
    piece = data[start:end].replace(b"\n", b" ") or b"x"
    return data[:end] + piece * (20_000 // len(piece) + 1) + data[end:]


def _indent(random: Random, data: bytes, _other: Path) -> bytes:
    start, end = _part(random, data)
    return (
        data[:start]
        + data[start:end].replace(b"\n", random.choice((b"\n\t", b"\n    ", b"\r\n", b"\n\n")))
        + data[end:]
    )


_MUTATIONS: tuple[Callable[[Random, bytes, Path], bytes], ...] = (
    _cut, _end_early, _duplicate, _swap, _splice, _rename, _rename, _nest, _drop_brackets, _odd_characters, _long_line, _indent,
)  # fmt: skip
_BRACKETS = (
    (b"(", b")"), (b"[", b"]"), (b"{", b"}"), (b"<", b">"), (b"f(", b")"), (b"a.b(", b")"), (b"if x { ", b" }"), (b"{x: ", b"}"),
    (b"() => (", b")"), (b"func() { ", b" }"), (b"lambda: (", b")"), (b"a or ", b""), (b"a + ", b""), (b"not ", b""), (b"*", b""),
    (b"map[string]", b""), (b"`${", b"}`"), (b"f'{", b"}'"), (b".x", b""), (b"[0]", b""), (b"a ? b : ", b""),
)  # fmt: skip
_ODD = (
    *(
        text.encode("utf-8", "surrogatepass")
        for text in ("\0", "\ufeff", "\u2028", "\u202e", "\u00a0", "\U0001f9ea", "\ud83d", "é", "ẞ", "·", "#0", "％", "\r", "\x0c")
    ),
    *(b"\\ud83d", b"\\x", b"\\N{", b"\\u{110000}", b"\xff", b"\xc3", b"\xed\xa0\x80"),
)  # fmt: skip


def sources_of(language: Language, folders: Sequence[Path]) -> list[Source]:
    """The files of a language below some folders, sorted, without links."""
    return [
        Source(path, str(path.relative_to(folder)))
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.name.endswith(language.suffixes) and path.is_file() and not path.is_symlink()
    ]


@click.command()
@click.option("--files", default=1000, help="Mutated files per language.")
@click.option("--first", default=0, help="Number of the first file.")
@click.option("--seed", default=1)
@click.option("--sources", multiple=True, type=click.Path(exists=True, path_type=Path))
@click.option("--language", "names", multiple=True, help="Only this language.")
def main(files: int, first: int, seed: int, sources: tuple[Path, ...], names: tuple[str, ...]) -> None:
    """Mutate, read and link files of each language. Ends with 1 if something failed."""
    is_failed = False
    for language in LANGUAGES:
        paths = sources_of(language, [SAMPLES, *sources])
        if (names and language.name not in names) or not paths:
            continue
        digest = hashlib.sha256(b"\0".join(source.file.read_bytes() for source in paths)).hexdigest()[:12]
        report = fuzz(
            language,
            paths,
            seed,
            range(first, first + files),
            lambda line: click.echo(line, err=True),
            read_group_in_child,
        )
        seconds, number = report.slowest
        click.echo(
            f"{language.name}: {report.files} files from {len(paths)} sources ({digest}), seed {seed}, "
            f"{len(report.failures)} failures, slowest {seconds:.2f} s (group {number}), not read: {dict(report.unfit)}"
        )
        for failure in report.failures[:200]:
            click.echo(f"  {failure}")
        is_failed = is_failed or bool(report.failures)
    sys.exit(1 if is_failed else 0)


if __name__ == "__main__":
    main()
