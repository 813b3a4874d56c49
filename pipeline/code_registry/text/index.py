"""The index of a repository at a commit: which files it has, where terms stand, and which files import which.

Opening reads what changed since the last time and nothing else; a tree that is known is opened by its id.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import msgspec

from pipeline.code_registry.rows import code_version
from pipeline.code_registry.store import IndexStore, Segment, StoreDamaged, StoredFile
from pipeline.code_registry.text.documents import style_of
from pipeline.code_registry.text.exclusions import Attributes, count_reasons, name_reason
from pipeline.code_registry.text.git_objects import Folder, GitObjects, GitTreeEntry
from pipeline.code_registry.text.imports import link
from pipeline.code_registry.text.segments import (
    SegmentFile,
    SegmentHead,
    bucket_of,
    build_segment,
    decode_bucket,
    decode_head,
    decode_lengths,
    decode_postings,
    split_posting,
)
from pipeline.domain.collector import without_collector
from pipeline.domain.errors import RepositoryUnreadable
from pipeline.domain.progress import OnProgress, ignore_progress
from pipeline.domain.terms import Postings, TermTable, term_counts

_WORTH_TWO_PROCESSES = 3_000_000
"""Bytes of text from which a second process saves more than its start costs."""
_SHARE_HERE = 0.52
"""The share of the text that this process reads itself: the other one has to start first."""
_MOST_SEGMENTS = 12
"""Segments of a tree from which the small ones are made one."""
_FIELDS = 4
_FILES_BETWEEN_REPORTS = 100


# How an index is opened, by the example of a commit that changes 3 of 9,000 files:
#
# 1. The id of git's tree is the key of a stored tree. A tree that is stored is opened without listing a file; this one is new.
# 2. git lists the tree. The key of a file is the id of its content, so 8,997 are found in segments that exist, whatever
#    their paths. The trees of these segments count as used now: another process must not remove them meanwhile.
# 3. The 3 others are read into a new segment. A large rest is read in two processes, into two segments.
# 4. The new tree is stored: each path with its segment and its number there.
#
# A segment never changes. Its postings still hold the old versions of the 3 files, and a query passes over what no path of the
# tree points to (`_live`). A content that stands at two paths is stored once, and its posting counts for both.
# Every commit adds a small segment; from _MOST_SEGMENTS on, the files of all but the two largest are read again into one.


class _StoredTree(msgspec.Struct, frozen=True):
    """A stored tree: its files by path and, in the same order, what is known of each."""

    paths: list[str]
    segments: list[int]
    numbers: list[int]
    lengths: list[int]
    edges: list[list[int]]
    path_terms: dict[str, list[int]]
    path_lengths: list[int]
    excluded: dict[str, int]


class TextIndex:
    """The text of a tree. A file is a number: its place in `paths`, which is sorted.

    Attributes:
        paths: the files that the index holds.
        lengths: words of each field of a file, four numbers for each.
        path_lengths: terms of each path.
        edges: the files that each file imports.
        excluded: how many files each reason left out.
    """

    def __init__(self, store: IndexStore, tree: _StoredTree, rebuild: Callable[[], "TextIndex"]) -> None:
        self.paths: Sequence[str] = tree.paths
        self.lengths: Sequence[int] = tree.lengths
        self.path_lengths: Sequence[int] = tree.path_lengths
        self.edges: Sequence[Sequence[int]] = tree.edges
        self.excluded = tree.excluded
        self._path_terms = tree.path_terms
        self._store = store
        self._notes = store.notes
        self._rebuild = rebuild
        self._replacement: TextIndex | None = None
        self._live: dict[int, dict[int, list[int]]] = {}
        for place, (segment, number) in enumerate(zip(tree.segments, tree.numbers, strict=True)):
            self._live.setdefault(segment, {}).setdefault(number, []).append(place)
        self._buckets: dict[tuple[int, int], dict[str, bytes]] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know of the index."""
        return tuple(self._notes)

    def path_postings(self, term: str) -> Sequence[int]:
        """The files whose paths hold a term."""
        return self._path_terms.get(term, ())

    def postings(self, term: str) -> Postings:
        """The files whose texts hold a term, and the packed counts of its fields."""
        if self._replacement is not None:
            return self._replacement.postings(term)
        try:
            return self._postings(term)
        except StoreDamaged as error:
            self._notes.append(f"a part of the cache was not readable and was made again: {error}")
            self._replacement = self._rebuild()
            return self._replacement.postings(term)

    def _postings(self, term: str) -> Postings:
        files: list[int] = []
        counts: list[int] = []
        for segment in sorted(self._live):
            data = self._bucket(segment, bucket_of(term)).get(term)
            if data is None:
                continue
            live = self._live[segment]
            for number, count in map(split_posting, decode_postings(data)):
                for place in live.get(number, ()):
                    files.append(place)
                    counts.append(count)
        return Postings(files, counts)

    def _bucket(self, segment: int, number: int) -> dict[str, bytes]:
        bucket = self._buckets.get((segment, number))
        if bucket is None:
            data = self._store.bucket(segment, number)
            bucket = self._buckets[segment, number] = {} if data is None else decode_bucket(data)
        return bucket


def open_index(
    directory: Path, commit: str | None, store: IndexStore, on_progress: OnProgress = ignore_progress
) -> TextIndex:
    """The index of a directory at a commit; of the files on disk, where git does not know it or has no commit.

    The directory may be a checkout, a folder inside one, or a bare repository. A cache that fails is not used any more.
    `on_progress` is called only where there is so much to read that it takes seconds.

    Raises:
        RepositoryUnreadable: there is no such directory or commit, or git cannot read it.
    """
    if not directory.is_dir():
        raise RepositoryUnreadable(
            f"{directory} is not a directory.", what_to_do="Name the checkout: --repository path/to/checkout"
        )
    source, tree = _source(directory, commit)
    try:
        return _open(source, tree, store, on_progress)
    except StoreDamaged:  # it goes on in memory
        return _open(source, tree, store, on_progress)


def _source(directory: Path, commit: str | None) -> tuple[GitObjects | Folder, str]:
    """Where the files are read from, and the id of their tree; an empty id where git has none."""
    repository = GitObjects(directory)
    if not repository.is_repository():
        return Folder(directory), ""
    commit_id = repository.resolve(commit or "HEAD")
    if commit_id is None and commit is not None:
        raise RepositoryUnreadable(
            f"There is no commit {commit} in {directory}.", what_to_do=f"Try: git -C {directory} log -1"
        )
    tree = None if commit_id is None else repository.tree_of(commit_id)
    if tree is not None:
        return repository, tree
    return Folder(directory, is_empty=repository.is_bare()), ""


@without_collector()
def _open(source: GitObjects | Folder, tree: str, store: IndexStore, on_progress: OnProgress) -> TextIndex:
    def rebuild() -> TextIndex:
        return _open(source, tree, IndexStore(None), on_progress)

    key = f"{text_version()}:{tree}"
    data = store.load("tree", key) if tree else None
    if data is None:
        entries = source.entries(tree)
        if not tree:
            listing = "\n".join(f"{entry.path}\0{entry.blob}" for entry in entries)
            key += f"folder:{hashlib.sha256(listing.encode('utf-8', 'replace')).hexdigest()}"
            data = store.load("tree", key)
        if data is None:
            data = _read_tree(source, entries, key, store, on_progress)
    return TextIndex(store, msgspec.msgpack.decode(data, type=_StoredTree), rebuild)


def _read_tree(
    source: GitObjects | Folder,
    entries: Sequence[GitTreeEntry],
    key: str,
    store: IndexStore,
    on_progress: OnProgress,
) -> bytes:
    """Read what the store does not have into new segments, and keep the tree."""
    reasons: list[str] = []
    readable = list(_readable(source, entries, reasons))
    files = [SegmentFile(entry.blob, style_of(entry.path)) for entry in readable]
    keys = [file_key(file) for file in files]
    old_files = store.files(keys)
    if len({file.segment for file in old_files.values()}) >= _MOST_SEGMENTS:
        old_files = _largest_only(old_files)
    missing = {
        key: (file, entry.size)
        for key, file, entry in zip(keys, files, readable, strict=True)
        if key not in old_files
    }
    segments = _read(source, list(missing.values()), on_progress) if missing else []

    def describe(new_files: Mapping[str, StoredFile]) -> tuple[bytes, Sequence[int]]:
        places = {**old_files, **new_files}
        tree = _tree(readable, [places[key] for key in keys], reasons, store)
        return msgspec.msgpack.encode(tree), tree.segments

    return store.store_tree(key, segments, describe)


def _readable(
    source: GitObjects | Folder, entries: Sequence[GitTreeEntry], reasons: list[str]
) -> Iterator[GitTreeEntry]:
    attribute_blobs = [entry.blob for entry in entries if entry.path == ".gitattributes"]
    attributes = Attributes(b"".join(data for _, data in source.contents(attribute_blobs)))
    manifests = {entry.path for entry in entries if entry.path.endswith("package.json")}
    for entry in entries:
        reason = name_reason(entry.path, entry.size, manifests)
        if reason is None and attributes.is_excluded(entry.path):
            reason = "marked in .gitattributes"
        if reason is None and not entry.path.isprintable():
            reason = "a name that is no text"
        if reason is None:
            yield entry
        else:
            reasons.append(reason)


def _largest_only(files: Mapping[str, StoredFile]) -> dict[str, StoredFile]:
    """The files of the two largest segments: those of the small ones are read again, together."""
    sizes = Counter(file.segment for file in files.values())
    largest = sorted(sizes, key=lambda segment: (-sizes[segment], segment))[:2]
    return {key: file for key, file in files.items() if file.segment in largest}


def _read(
    source: GitObjects | Folder, missing: Sequence[tuple[SegmentFile, int]], on_progress: OnProgress
) -> list[tuple[Segment, list[str]]]:
    """Segments of some files, with the keys of the files of each."""
    total = sum(size for _, size in missing)
    if total < _WORTH_TWO_PROCESSES:
        files = [file for file, _ in missing]
        return [(_segment(source, files), list(map(file_key, files)))]
    halves: tuple[list[SegmentFile], list[SegmentFile]] = ([], [])
    bytes_so_far = 0
    for file, size in missing:
        halves[bytes_so_far >= total * _SHARE_HERE].append(file)
        bytes_so_far += size
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        aside = pool.submit(_segment, source, halves[1])

        # The other process is taken to be as far as this one.
        def read_here(count: int) -> None:
            on_progress(count * len(missing) // len(halves[0]), len(missing))

        segments = [_segment(source, halves[0], read_here), aside.result()]
        on_progress(len(missing), len(missing))
    return [(segment, list(map(file_key, half))) for segment, half in zip(segments, halves, strict=True)]


def file_key(file: SegmentFile) -> str:
    """The key of a file: the code that reads it, the id of its content, and the style in which it was read."""
    return f"{text_version()}:{file.style}:{file.blob}"


def text_version() -> str:
    """A digest of the code that makes segments: what other code made is never used again."""
    return code_version("text", "../domain/history.py", "../domain/terms.py")


@without_collector()
def _segment(
    source: GitObjects | Folder, files: Sequence[SegmentFile], read: Callable[[int], None] | None = None
) -> Segment:
    contents = source.contents([file.blob for file in files])
    return build_segment(files, contents if read is None else _counted_contents(contents, read))


def _counted_contents(
    contents: Iterator[tuple[str, bytes]], read: Callable[[int], None]
) -> Iterator[tuple[str, bytes]]:
    """The contents, while now and then it is said how many were taken."""
    for number, content in enumerate(contents):
        if number % _FILES_BETWEEN_REPORTS == 0:
            read(number)
        yield content


def _tree(
    entries: Sequence[GitTreeEntry], stored_files: Sequence[StoredFile], reasons: list[str], store: IndexStore
) -> _StoredTree:
    heads = {
        segment: decode_head(data)
        for segment, data in store.heads({file_.segment for file_ in stored_files}).items()
    }
    lengths = {segment: decode_lengths(head.lengths) for segment, head in heads.items()}
    places: list[tuple[str, StoredFile]] = []
    for entry, place in zip(entries, stored_files, strict=True):
        reason = heads[place.segment].reasons.get(place.number)
        if reason is None:
            places.append((entry.path, place))
        else:
            reasons.append(reason)
    paths = [path for path, _ in places]
    table = TermTable()
    path_terms: dict[str, list[int]] = {}
    path_lengths: list[int] = []
    for number, path in enumerate(paths):
        terms = term_counts(path.rsplit(".", 1)[0] if "." in path.rsplit("/", 1)[-1][1:] else path, table)
        path_lengths.append(sum(terms.values()))
        for term in terms:
            path_terms.setdefault(term, []).append(number)
    return _StoredTree(
        paths=paths,
        segments=[place.segment for _, place in places],
        numbers=[place.number for _, place in places],
        lengths=[
            length
            for _, place in places
            for length in lengths[place.segment][_FIELDS * place.number : _FIELDS * (place.number + 1)]
        ],
        edges=link(paths, _imports(heads, [place for _, place in places])),
        path_terms=path_terms,
        path_lengths=path_lengths,
        excluded=count_reasons(reasons),
    )


def _imports(
    heads: dict[int, SegmentHead], places: Sequence[StoredFile]
) -> Iterator[tuple[int, Sequence[str]]]:
    for number, place in enumerate(places):
        yield number, heads[place.segment].imports[place.number]
