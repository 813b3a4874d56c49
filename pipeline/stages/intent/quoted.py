"""From a filled-in form to an intent: what rests on words of the ticket is kept, the rest is dropped and named.

Pure. A model may read a ticket well or badly, or be talked into something by it. What it names reaches the decisions
only where the ticket says it, so that everything that follows can be shown to a person with the words for it.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from pipeline.domain.intent import Intent, Mention, MentionKind, NewName, Said, Source, Synonym
from pipeline.domain.mentions import find_mentions
from pipeline.domain.printable import printable
from pipeline.domain.words import name_parts, name_stems, prose_stems
from pipeline.stages.intent.form import IntentForm, NamedForm, SaidForm, SynonymForm

_MOST = 40
"""Of each kind of thing; a ticket that names more is read by its first ones."""

_LONGEST = 300
_CODE_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]{2,29}")

_Part = TypeVar("_Part")
_Kept = TypeVar("_Kept")


def intent_of(form: IntentForm, by_rule: Intent) -> Intent:
    """The intent of a form; `by_rule` is the same ticket read by rule, which has the text that people see.

    An operation without words of the ticket is taken from there; everything else without such words is left out.
    """
    return _Reading(form, by_rule).intent()


class _Reading:
    """One form held against one text."""

    def __init__(self, form: IntentForm, by_rule: Intent) -> None:
        self._form = form
        self._by_rule = by_rule
        self._text = _in_one_line(by_rule.prose)
        self._written = {mention.text: mention for mention in find_mentions(by_rule.prose)}
        self._dropped: list[str] = []

    def intent(self) -> Intent:
        form, by_rule = self._form, self._by_rule
        operation, quote = form.operation, form.operation_quote
        if not self._has("operation", operation.value, quote):
            operation, quote = by_rule.operation, by_rule.operation_quote
        new_names = self._kept(form.new_names, self._new_name)
        wishes = [wish for wish in form.wishes[:_MOST] if self._has("wish", wish, wish)]
        ruled_out = [out for out in form.ruled_out[:_MOST] if self._has("ruled out", out, out)]
        return Intent(
            source=Source.MODEL,
            operation=operation,
            operation_quote=quote,
            surface_quote=self._quote("change of a request", form.request_quote),
            command_quote=self._quote("command line", form.command_line_quote),
            value_quote=self._quote("other value", form.other_value_quote),
            mentions=self._kept(form.things_named, self._mention),
            new_names=new_names,
            wish="\n".join(dict.fromkeys([by_rule.prose.partition("\n")[0], *wishes])),
            excluded=self._excluded(ruled_out, wishes),
            synonyms=self._kept(form.synonyms, self._synonym),
            conditions=self._kept(form.conditions, self._said("condition")),
            acceptance=self._kept(form.acceptance, self._said("acceptance")),
            prose=by_rule.prose,
            hidden_removed=by_rule.hidden_removed,
            dropped=tuple(self._dropped),
        )

    def _kept(self, parts: Iterable[_Part], read: Callable[[_Part], _Kept | None]) -> tuple[_Kept, ...]:
        found = (read(part) for part in list(parts)[:_MOST])
        return tuple(dict.fromkeys(one for one in found if one is not None))

    def _has(self, what: str, value: str, quote: str) -> bool:
        """Whether the ticket has these words; noted if not."""
        words = _in_one_line(quote)
        if words and words in self._text:
            return True
        self._drop(what, value, f"the ticket does not say “{words[:_LONGEST]}”")
        return False

    def _drop(self, what: str, value: str, why: str) -> None:
        self._dropped.append(printable(f"{what} “{_in_one_line(value)[:_LONGEST]}”: {why}"))

    def _quote(self, what: str, quote: str | None) -> str | None:
        return quote if quote is not None and self._has(what, quote, quote) else None

    def _mention(self, named: NamedForm) -> Mention | None:
        """A name that stands in its quote, of the kind that its shape says."""
        if not self._has("name", named.name, named.quote):
            return None
        name = named.name.strip().strip("`")
        if not name or name not in named.quote:
            self._drop("name", named.name, f"it does not stand in “{_in_one_line(named.quote)[:_LONGEST]}”")
            return None
        as_written = self._written.get(name) or next(iter(_mentions_in(name)), None)
        if as_written is None:
            self._drop("name", named.name, "code has no names like that")
            return None
        return as_written.model_copy(update={"quote": named.quote})

    def _new_name(self, named: NamedForm) -> NewName | None:
        """A name to come: as the ticket writes it, or made of neighbouring words of the ticket (`dry run`: dry_run)."""
        if not self._has("new name", named.name, named.quote):
            return None
        name = named.name.strip().strip("`")
        parts, around = name_parts(name), name_parts(named.quote)
        stands = name in named.quote or any(
            around[at : at + len(parts)] == parts for at in range(len(around) - len(parts) + 1)
        )
        if not parts or not stands:
            self._drop("new name", named.name, f"it is not in “{_in_one_line(named.quote)[:_LONGEST]}”")
            return None
        return NewName(text=name, quote=named.quote)

    def _synonym(self, form: SynonymForm) -> Synonym | None:
        if not self._has("synonym", form.word, form.quote):
            return None
        means = tuple(word for word in form.code_words[:8] if _CODE_WORD.fullmatch(word))
        if not form.word.strip() or form.word not in form.quote or not means:
            self._drop("synonym", form.word, "it is no word of its quote, or stands for no plain words")
            return None
        return Synonym(text=form.word, means=means, quote=form.quote)

    def _said(self, what: str) -> Callable[[SaidForm], Said | None]:
        def read(form: SaidForm) -> Said | None:
            if not self._has(what, form.text, form.quote):
                return None
            return Said(text=_in_one_line(form.text)[:_LONGEST] or form.quote, quote=form.quote)

        return read

    def _excluded(self, ruled_out: list[str], wishes: list[str]) -> tuple[str, ...]:
        """The stems of what is ruled out, without words that the wish itself uses."""
        stems = frozenset[str]().union(*(prose_stems(out) | name_stems(out) for out in ruled_out))
        wanted = _in_one_line("\n".join(wishes))
        for out in ruled_out:
            wanted = wanted.replace(_in_one_line(out), " ")
        return tuple(sorted(stems - prose_stems(wanted)))


def _mentions_in(name: str) -> Iterator[Mention]:
    """What a name alone is: a route, path, file, option or identifier, whole."""
    for text in (name, f"`{name}`"):
        for mention in find_mentions(text):
            whole = f"{mention.method} {mention.text}" if mention.method else mention.text
            if name in (whole, mention.text) and (mention.kind is not MentionKind.NAME or " " not in name):
                yield mention


def _in_one_line(text: str) -> str:
    return " ".join(text.split())
