"""The form in which a client asks the person (elicitation): its schema, and what the person has filled in."""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from pipeline.contract.clarification import Clarification, Question
from pipeline.contract.point_reply import answer_in_words, changes_in_short
from pipeline.mcp_server.checkout import PersonsAnswer
from pipeline.terminal.endings import choices_of, question_as_text

_WORDS: dict[str, JsonValue] = {
    "type": "string",
    "title": "In your own words",
    "description": "Leave it empty if one of the options is right.",
}

Content = Mapping[str, str | int | float | bool | Sequence[str] | None]
"""What a client sends back: the fields of the form by name."""


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
    if choice is None or not choices_of(clarification):
        return {"type": "object", "properties": {"words": _WORDS}, "required": ["words"]}
    fields: dict[str, JsonValue] = {"choice": choice, "words": _WORDS}
    if clarification.question.multiple:
        ids: list[JsonValue] = [option.id for option in choices_of(clarification)]
        fields["choices"] = {
            "type": "array",
            "title": "Or several of them",
            "items": {"type": "string", "enum": ids},
        }
    return {"type": "object", "properties": fields}


def answer(clarification: Clarification, content: Content) -> PersonsAnswer | None:
    """The answer that a filled form is; None where it holds none: no words, and no option that means something alone.

    Several choices count where the question takes several. What was changed in a plan stands before the words about it. A form that was sent with no field filled in takes the default, which the client had shown in it;
    of a plan, what it proposes.
    """
    question = clarification.question
    entry = content.get("words")
    words = entry.strip() if isinstance(entry, str) else ""
    if question.has_points:
        return _answer_to_plan(question, content, words)
    if words:
        return PersonsAnswer(question_id=question.id, slot=question.slot, text=words)
    multiple_choices = content.get("choices") if question.multiple else None
    picks = tuple(
        option.id
        for option in choices_of(clarification)
        if isinstance(multiple_choices, list) and option.id in multiple_choices
    )
    if len(picks) > 1:
        return PersonsAnswer(question_id=question.id, slot=question.slot, choices=picks)
    # One alone in the field for several was picked by hand; `choice` may hold the default that nobody touched.
    choice = picks[0] if picks else content.get("choice", question.default)
    chosen_option = next((option for option in choices_of(clarification) if option.id == choice), None)
    if chosen_option is None or getattr(chosen_option, "needs_text", False):
        return None
    return PersonsAnswer(question_id=question.id, slot=question.slot, choice=chosen_option.id)


def _answer_to_plan(question: Question, content: Content, words: str) -> PersonsAnswer | None:
    points = {
        point.id: str(choice)
        for point in question.every_point
        if (choice := content.get(point.id, point.taken)) in {option.id for option in point.options}
    }
    if words:
        has_changes = any(points.get(point.id, point.taken) != point.taken for point in question.every_point)
        text = f"{changes_in_short(question, points)}. {words}" if has_changes else words
        label = answer_in_words(question, None)
        return PersonsAnswer(question_id=question.id, slot=question.slot, text=text, label=label)
    if len(points) < len(question.every_point):
        return None
    label = answer_in_words(question, points)
    return PersonsAnswer(question_id=question.id, slot=question.slot, points=points, label=label)
