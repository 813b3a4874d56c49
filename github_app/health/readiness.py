"""Whether the App can do its work, by signs of life: pure."""

from dataclasses import dataclass

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
    """What keeps the App from its work, each as a sentence with what to do; empty when it is ready."""
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
