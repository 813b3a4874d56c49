"""Read answers, and fetch the free text that only its comment's id and digest came with."""

import hashlib
from pathlib import Path

from pydantic import ValidationError

from pipeline.contract.answers import Answer, Answers
from pipeline.domain.errors import AnswersInvalid
from pipeline.domain.model_mistakes import mistakes_by_key
from pipeline.github_read.reader import GitHubReader
from pipeline.reading.hidden_text import remove_hidden

_MAX_TEXT = 2_000
_COMMAND = "/answer"
_EXAMPLE = (
    'It looks like this: {"version": 1, "answers": [{"question_id": "q-…", "slot": "entry_route", '
    '"choice": "route:POST /actions"}]}'
)


def read_answers(path: Path) -> Answers:
    """Answers from a file.

    Raises:
        AnswersInvalid: the file cannot be read or does not hold answers.
    """
    try:
        return parse_answers(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        raise AnswersInvalid(
            f"{path} cannot be read: {reason}.", what_to_do=f"Name the file: --answers FILE. {_EXAMPLE}"
        ) from error


def parse_answers(text: str) -> Answers:
    """Answers from JSON.

    Raises:
        AnswersInvalid: it does not have the shape of answers.json.
    """
    try:
        return Answers.model_validate_json(text)
    except ValidationError as error:
        raise AnswersInvalid(
            "The answers do not have the shape of answers.json.",
            why=mistakes_by_key(error, "the document")[0],
            what_to_do=_EXAMPLE,
        ) from error


def with_texts(answers: Answers, reader: GitHubReader | None) -> Answers:
    """The same answers, each free text fetched from its comment and compared with its digest.

    The digest is of the comment's whole body as it stood when it was accepted; the text is what follows `/answer` in
    what people read of it.

    Raises:
        AnswersInvalid: a text cannot be fetched, or its comment was edited since.
    """
    return Answers(answers=tuple(_with_text(answer, reader) for answer in answers.answers))


def _with_text(answer: Answer, reader: GitHubReader | None) -> Answer:
    if answer.text_sha256 is None or answer.comment_id is None:
        return answer
    if reader is None:
        raise AnswersInvalid(
            f"The text of comment {answer.comment_id} cannot be fetched.",
            why="There is no GITHUB_TOKEN or no repository name to fetch it with.",
            what_to_do='Pass the text itself: {…, "text": "…"}',
        )
    body = reader.comment(answer.comment_id).body
    if hashlib.sha256(body.encode()).hexdigest() != answer.text_sha256:
        raise AnswersInvalid(
            f"Comment {answer.comment_id} was changed after it was accepted.",
            why="Its SHA-256 differs from the one in the run's inputs.",
            what_to_do="Reply again with /answer and one sentence.",
        )
    return answer.model_copy(update={"text": _free_text(remove_hidden(body)), "text_sha256": None})


def _free_text(body: str) -> str:
    for line_start, line in enumerate(lines := body.splitlines()):
        if line.strip().lower().startswith(_COMMAND):
            first = line.strip()[len(_COMMAND) :]
            return "\n".join([first, *lines[line_start + 1 :]]).strip()[:_MAX_TEXT]
    return body.strip()[:_MAX_TEXT]
