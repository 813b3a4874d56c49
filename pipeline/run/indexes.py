"""The indexes of one checkout: the registry of its code, and its text with its history. Each is opened once in a process."""

import gc
import threading
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.code_registry.builder import build_registry
from pipeline.code_registry.registry import Registry
from pipeline.code_registry.store import default_store
from pipeline.domain.issue import IssueDocument
from pipeline.domain.places import Ranking
from pipeline.domain.progress import OnProgress, ignore_progress

_MOST_PLACES = 15


@dataclass
class Indexes:
    """What is indexed of one checkout. `is_cached`: indexes are kept in the user's cache between runs. `on_progress` is
    told while the text of many files is read.
    """

    root: Path
    is_cached: bool = True
    on_progress: OnProgress = ignore_progress
    _registry: Registry | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def registry(self) -> Registry:
        """The registry of its code. Two stages that ask at the same time get the same one.

        Raises:
            RepositoryUnreadable: the checkout cannot be read.
        """
        with self._lock:
            if self._registry is None:
                self._registry = build_registry(self.root, cache=default_store() if self.is_cached else None)
                gc.freeze()  # it lives as long as the run: no collection has to walk it again
            return self._registry

    def places_of(self, words: str) -> str:
        """The files that fit some words best, a line each: path, probability, and the strongest reason."""
        from pipeline.domain.ticket import IncomingTicket
        from pipeline.reading.document import read_issue

        files = self.rank(read_issue(IncomingTicket(title=words, body=""), (), ())).files[:_MOST_PLACES]
        lines = [f"{file.path} {file.probability:.2f}: {file.reasons[0].sentence}" for file in files]
        return "\n".join(lines) or "(No file shares a rare word with it.)"

    def rank(self, document: IssueDocument) -> Ranking:
        """Its files, ranked for an issue by their text and their history.

        Raises:
            RepositoryUnreadable: the checkout cannot be read.
        """
        from pipeline.code_registry.store import IndexStore, default_store
        from pipeline.code_registry.text.history import read_history
        from pipeline.code_registry.text.index import open_index
        from pipeline.places.ranking import rank

        store = default_store() if self.is_cached else IndexStore(None)
        try:
            index = open_index(self.root, None, store, self.on_progress)
            return rank(document, index, read_history(self.root, None, store))
        finally:
            store.close()
