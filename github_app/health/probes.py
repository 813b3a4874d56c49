"""The signs of life of the whole App, read from the store, and whether it can do its work by them: `/readyz` and `/metrics`."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from sqlalchemy.exc import SQLAlchemyError

from github_app.counting import exposition, series_name
from github_app.storage.health import GITHUB, REFUSAL, WORKER, Health

WORKER_SECONDS = 60.0
"""A worker that has not been heard for longer is not there. It tells every five seconds."""
GITHUB_SECONDS = 1500.0
"""GitHub is asked every ten minutes at least."""
QUEUE_SECONDS = 300.0


@dataclass(frozen=True)
class Signs:
    """Ages in seconds; None for what was never heard. `store` is False where the database does not answer.

    `refusal` is what to do about GitHub taking no request of the App; "" where it takes them.
    """

    store: bool
    worker: float | None = None
    github: float | None = None
    queue: float = 0.0
    refusal: str = ""


def problems(signs: Signs) -> list[str]:
    """The problems that keep the App from its work, each a sentence with a remedy; empty when it is ready."""
    if not signs.store:
        return ["The database does not answer: look at its disk, its rights and ASKFIRST_DATABASE_URL."]
    sentences = []
    if signs.worker is None or signs.worker > WORKER_SECONDS:
        since = "never" if signs.worker is None else f"for {signs.worker:.0f} s not"
        sentences.append(f"The worker was {since} heard: start `askfirst-app worker`, and look at its log.")
    if signs.refusal:
        sentences.append(f"{signs.refusal}.")
    elif signs.github is None or signs.github > GITHUB_SECONDS:
        since = "not yet" if signs.github is None else f"for {signs.github:.0f} s not"
        sentences.append(f"GitHub has {since} answered the worker: run `askfirst-app check`.")
    if signs.queue > QUEUE_SECONDS:
        sentences.append(
            f"The oldest delivery has been due for {signs.queue:.0f} s: see `askfirst-app stuck`, and the worker's log."
        )
    return sentences


class Probing:
    """What a web process answers about the App. It connects when it is first asked.

    The store is asked in a thread of its own, once at a time, and given up after `patience` seconds: a store that hangs would
    else hold one thread of the web server for each probe.
    """

    def __init__(self, database_url: str, patience: float = 3.0) -> None:
        self._url = database_url
        self._patience = patience
        self._lock = threading.Lock()
        self._opened: Health | None = None
        self._asker = ThreadPoolExecutor(1, thread_name_prefix="probe")
        self._question_lock = (
            threading.Lock()
        )  # not the one above, which is held while a connection is opened
        self._question: Future[Signs] | None = None

    def health(self) -> Health:
        """The tables of signs of life.

        Raises:
            SQLAlchemyError: the store does not answer.
        """
        with self._lock:
            if self._opened is None:
                self._opened = Health(self._url)
            return self._opened

    def problems(self) -> list[str]:
        """The problems that keep the App from its work; empty when it is ready."""
        return problems(self._signs())

    def metrics(self) -> str:
        """The text that Prometheus reads."""
        signs = self._signs()
        series: dict[str, float] = {"askfirst_ready": 0.0 if problems(signs) else 1.0}
        if signs.store:
            health = self.health()
            series |= health.counts()
            series |= {
                series_name("askfirst_conversations", state=s): n for s, n in health.conversations().items()
            }
            series |= {
                series_name("askfirst_deliveries", status=s): n for s, n in health.deliveries().items()
            }
            series["askfirst_queue_age_seconds"] = signs.queue
        ages = {"askfirst_worker_age_seconds": signs.worker, "askfirst_github_age_seconds": signs.github}
        series |= {name: age for name, age in ages.items() if age is not None}
        return exposition(series)

    def _signs(self) -> Signs:
        with self._question_lock:
            if self._question is None or self._question.done():
                self._question = self._asker.submit(self._ask)
            question = self._question
        try:
            return question.result(self._patience)
        except TimeoutError:
            return Signs(store=False)

    def _ask(self) -> Signs:
        try:
            health = self.health()
            worker, github, queue = health.note(WORKER), health.note(GITHUB), health.queue_age()
            refusal = health.note(REFUSAL)
            now = health.now()
        except SQLAlchemyError:
            return Signs(store=False)
        return Signs(
            store=True,
            worker=now - worker.at if worker else None,
            github=now - github.at if github else None,
            queue=queue,
            refusal=str(refusal.value.get("advice", "")) if refusal else "",
        )
