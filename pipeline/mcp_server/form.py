"""The form in which a client asks the person (elicitation): its schema, and what the person has filled in."""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from pipeline.contract.choices import choices
from pipeline.contract.clarification import Clarification, Question
from pipeline.contract.point_reply import changes_in_short
from pipeline.contract.reply_answer import answer_of
from pipeline.contract.reply_meaning import Reply, ReplyKind
from pipeline.domain.models import FrozenModel
from pipeline.terminal.endings import question_as_text

_WORDS: dict[str, JsonValue] = {
    "type": "string",
    "title": "In your own words",
    "description": "Leave it empty if one of the options is right.",
}

Content = Mapping[str, str | int | float | bool | Sequence[str] | None]
"""What a client sends back: the fields of the form by name."""


class PersonsAnswer(FrozenModel):
    """What a person answered to a question: the id of an option (`choice`), words of their own (`text`), or several ids
    (`choices`) where the question is `multiple`. To a plan, or a question with further points, it is `points`: the id of an option
    by the id of its point, and `words`: words of their own by the id of a point; {} takes every default. `label` is what this tool adds to an answer to a plan, in words; pass it on with the answer.
    """

    question_id: str
    slot: str
    choice: str | None = None
    choices: tuple[str, ...] | None = None
    points: dict[str, str] | None = None
    words: dict[str, str] | None = None
    text: str | None = None
    label: str | None = None


def message(clarification: Clarification) -> str:
    """What stands above the form: the question, why it is open, the options with their places."""
    return question_as_text(clarification).strip()


def schema(clarification: Clarification) -> dict[str, JsonValue]:
    """The question's own schema, and a second field for words. Flat, as elicitation wants it.

    Nothing is required but the words where there is no option: words stand for a choice. A plan has a field for each of its
    points.
    """
    properties = clarification.question.answer_schema.get("properties")
    if clarification.question.has_points:
        point_fields = properties if isinstance(properties, dict) else {}
        return {"type": "object", "properties": {**point_fields, "words": _WORDS}}
    choice = properties.get("choice") if isinstance(properties, dict) else None
    if choice is None or not choices(clarification):
        return {"type": "object", "properties": {"words": _WORDS}, "required": ["words"]}
    fields: dict[str, JsonValue] = {"choice": choice, "words": _WORDS}
    if clarification.question.multiple:
        ids: list[JsonValue] = [option.id for option in choices(clarification)]
        fields["choices"] = {
            "type": "array",
            "title": "Or several of them",
            "items": {"type": "string", "enum": ids},
        }
    return {"type": "object", "properties": fields}


def answer(clarification: Clarification, content: Content) -> PersonsAnswer | None:
    """The answer that a filled form is; None where it holds none: no words, and no option that means something alone."""
    entry = content.get("words")
    words = entry.strip() if isinstance(entry, str) else ""
    question = clarification.question
    points = _points(question, content)
    if words:
        reply = Reply(ReplyKind.FREE)
        # What was changed in a plan stands before the words about it.
        has_changes = any(points.get(point.id, point.taken) != point.taken for point in question.every_point)
        words = f"{changes_in_short(question, points)}. {words}" if has_changes else words
    elif question.has_points:
        if len(points) < len(question.every_point):
            return None
        reply = Reply(ReplyKind.CHOICE, points=tuple(points.items()))
    else:
        picks = _picks(clarification, content)
        if not picks:
            return None
        reply = (
            Reply(ReplyKind.CHOICE, choices=picks)
            if len(picks) > 1
            else Reply(ReplyKind.CHOICE, choice=picks[0])
        )
    fields = answer_of(clarification, reply, words).model_dump(include=set(PersonsAnswer.model_fields))
    return PersonsAnswer.model_validate(fields)


def _picks(clarification: Clarification, content: Content) -> tuple[str, ...]:
    """The options that were picked; the default of a form in which nothing was touched."""
    options = {choice.id: choice for choice in choices(clarification)}
    several = content.get("choices") if clarification.question.multiple else None
    picks = tuple(pick for pick in options if isinstance(several, list) and pick in several)
    # One alone in the field for several was picked by hand; `choice` may hold the default, untouched.
    choice = options.get(str(content.get("choice", clarification.question.default)))
    picks = picks or ((choice.id,) if choice is not None else ())
    return () if len(picks) == 1 and options[picks[0]].needs_text else picks


def _points(question: Question, content: Content) -> dict[str, str]:
    return {
        point.id: str(choice)
        for point in question.every_point
        if (choice := content.get(point.id, point.taken)) in {option.id for option in point.options}
    }
