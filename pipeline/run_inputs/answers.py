"""Read answers, and fetch the free text that only its comment's id and digest came with."""

from pathlib import Path

from pydantic import ValidationError

from pipeline.contract.answers import Answer, Answers
from pipeline.contract.commands import answer_text, text_sha256
from pipeline.contract.own_words import own_words
from pipeline.domain.errors import AnswersInvalid
from pipeline.domain.model_mistakes import mistakes_by_key
from pipeline.github_read.reader import GitHubReader

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
    """The same answers, each free text read from its comment as the App read it, and compared with the digest of what it took.

    Raises:
        AnswersInvalid: a text cannot be fetched, or was edited since.
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
    text = answer_text(own_words(reader.comment(answer.comment_id).body))
    if text_sha256(text) != answer.text_sha256:
        raise AnswersInvalid(
            f"Comment {answer.comment_id} was changed after it was accepted.",
            why="The SHA-256 of its words differs from the one in the run's inputs.",
            what_to_do="Reply again with /answer and one sentence.",
        )
    return answer.model_copy(update={"text": text, "text_sha256": None})
