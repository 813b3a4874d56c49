"""Choose between candidates: by answers, then by the words of the ticket; where neither does, the question stays open."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pipeline.code_registry.entries import Route
from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answer
from pipeline.domain.intent import Intent, MentionKind, Operation
from pipeline.domain.mentions import find_mentions
from pipeline.domain.words import prose_stems, stems_of_all
from pipeline.stages.decomposition.candidates import Choice, handlers_apart, in_order, route_choice
from pipeline.stages.decomposition.evidence_table import EvidenceRow
from pipeline.stages.decomposition.outcome import Outcome, Selected, Undecided, Unknown
from pipeline.stages.decomposition.questions import Slot
from pipeline.stages.selection.audience import Speaker, fitting, who_speaks
from pipeline.stages.selection.evidence import (
    Discrimination,
    Verdict,
    discriminate,
    ticket_stems,
    words_as_written,
)
from pipeline.stages.selection.packages import differ_in_package

_IN_PACKAGES = frozenset({Slot.MODEL, Slot.DEFINITION, Slot.SETTING})
"""Slots whose candidates may be one thing that each of several packages has."""

_FOUND_BY_NAME = frozenset({Slot.MODEL, Slot.DEFINITION, Slot.SETTING, Slot.COMMAND, Slot.PACKAGE})
"""Slots whose candidates were found by a name or by words; those of the others lead to one place by calls."""


@dataclass
class Chooser:
    """The ticket, the code and the answers; `rows` collects the evidence of every step."""

    intent: Intent
    registry: Registry
    answers: tuple[Answer, ...] = ()
    rows: list[EvidenceRow] = field(default_factory=list)

    def choose(
        self,
        slot: Slot,
        choices: Sequence[Choice],
        about: str,
        *,
        leaf: str | None,
        quotes: tuple[str, ...],
        spent: frozenset[str] = frozenset(),
    ) -> Outcome:
        """Let answers, then words select; leave open what neither does.

        `spent` are the words that led to the candidates: they speak for all of them, and tell none apart.
        """
        if slot in _IN_PACKAGES and self._is_one_thing_each(choices):
            slot = Slot.PACKAGE
        if (answered := self._answered(slot, choices)) is not None:
            self.note(about, choices, concluded=f"An answer chose {answered.label}.")
            return self.select(answered, f"{self._who_answered(slot)} chose {answered.label}.")
        if (said := self._said(slot)) is not None:
            return self._from_reply(said, choices, about)
        words = ticket_stems(self.intent) - spent
        held = self._hold(slot, choices, words)
        speaker, meant = self._meant(choices)
        if held.chosen is not None and (not meant or held.chosen in meant):
            return self._by_words(held, held.chosen, choices, about)
        if speaker is not None and meant and held.chosen is None:
            self.note(
                about,
                choices,
                words=speaker.words,
                concluded=f"The ticket speaks for {speaker.audience.value}.",
            )
            if len(meant) == 1:
                chosen = choices[meant[0]]
                said_by = ", ".join(f"“{words}”" for words in speaker.words)
                return self.select(chosen, f"{said_by}: {chosen.label} is for {speaker.audience.value}.")
            choices = [choices[place] for place in meant]
            held = self._hold(slot, choices, words)
            if held.chosen is not None:
                return self._by_words(held, held.chosen, choices, about)
        return self._open(slot, held, choices, words, about, leaf=leaf, quotes=quotes)

    def _is_one_thing_each(self, choices: Sequence[Choice]) -> bool:
        """Whether the choices have one name, and each a package of its own."""
        names = {choice.label.partition(" (")[0] for choice in choices}
        return len(names) == 1 and differ_in_package([one.place.path for one in choices], self.registry)

    def _hold(self, slot: Slot, choices: Sequence[Choice], words: frozenset[str]) -> Discrimination:
        """The words against the choices; where words of several contradict each other, those of the title decide."""
        vocabularies = [choice.vocabulary for choice in choices]
        outdoing = slot in _FOUND_BY_NAME
        held = discriminate(words, vocabularies, excluded=self.intent.excluded, outdoing=outdoing)
        if held.verdict is not Verdict.CONTRADICTORY:
            return held
        title = words & prose_stems(self.intent.prose.partition("\n")[0])
        of_title = discriminate(title, vocabularies, excluded=self.intent.excluded, outdoing=outdoing)
        return of_title if of_title.verdict is Verdict.SELECTED else held

    def _meant(self, choices: Sequence[Choice]) -> tuple[Speaker | None, tuple[int, ...]]:
        """Who speaks, and which of the choices are for them; none where that tells nothing apart."""
        speaker = who_speaks(self.intent)
        if speaker is None:
            return None, ()
        return speaker, fitting(speaker, [choice.audience for choice in choices])

    def _by_words(self, held: Discrimination, index: int, choices: Sequence[Choice], about: str) -> Selected:
        chosen = choices[index]
        telling = words_as_written(self.intent, held.only[index])
        concluded = f"These words fit {chosen.label} and no other."
        if not telling:
            concluded = f"The ticket rules out all but {chosen.label}."
        self.note(about, choices, words=telling, concluded=concluded)
        why = f"{listed(telling)} it and no other" if telling else "The ticket rules out the others"
        return self.select(chosen, f"{why}: {chosen.label}.")

    def _open(
        self,
        slot: Slot,
        held: Discrimination,
        choices: Sequence[Choice],
        words: frozenset[str],
        about: str,
        *,
        leaf: str | None,
        quotes: tuple[str, ...],
    ) -> Outcome:
        """Nothing selects one: a question, but for a bug report, which is no wish that one of several be changed."""
        close = [choices[index] for index in held.close]
        if held.chosen is not None:
            close = list(choices)
        if len(held.alive) < len(choices):
            out = ", ".join(one.label for place, one in enumerate(choices) if place not in held.alive)
            words_out = words_as_written(self.intent, self.intent.excluded)
            self.note(about, choices, words=words_out, concluded=f"The ticket rules out {out}.")
        ranked, reason = in_order(close, words | self._named())
        fits = frozenset[str]().union(*(held.fits[index] for index in held.alive))
        shown = words_as_written(self.intent, fits)
        self.note(about, ranked, words=shown, concluded="No word fits one and no other.")
        if (
            slot in (Slot.DEFINITION, Slot.PACKAGE)
            and not self.intent.changes_surface
            and self.intent.operation is Operation.FIX
        ):
            return Unknown(
                "Several definitions have that name, and a bug report does not choose between them."
            )
        return Undecided(slot, ranked, reason, leaf, quotes)

    def select(self, choice: Choice, because: str) -> Selected:
        """One choice stands."""
        return Selected((choice.code_place(),), because, choice.chain)

    def note(
        self, about: str, choices: Sequence[Choice] = (), *, words: Sequence[str] = (), concluded: str
    ) -> None:
        """Keep a row of evidence."""
        labels = tuple(choice.label for choice in choices)
        self.rows.append(EvidenceRow(about=about, candidates=labels, words=tuple(words), concluded=concluded))

    def route_choices(self, routes: Sequence[Route]) -> list[Choice]:
        """Routes as choices, one for each handler."""
        return [route_choice(self.registry, route) for route in handlers_apart(routes)]

    def _named(self) -> frozenset[str]:
        """The words of the names that the ticket mentions: they support a default, though they tell nothing apart."""
        return stems_of_all(
            mention.text for mention in self.intent.mentions if mention.kind is MentionKind.NAME
        )

    def _from_reply(self, said: str, choices: Sequence[Choice], about: str) -> Outcome:
        """A reply in free words is prose like the ticket's own: it selects by a name or by its words, or not at all."""
        named = {mention.text for mention in find_mentions(said)}
        by_name = [
            choice for choice in choices if choice.id.partition(":")[2] in said or choice.label in named
        ]
        longest = max(by_name, key=lambda choice: len(choice.label), default=None)
        held = discriminate(prose_stems(said), [choice.vocabulary for choice in choices])
        chosen = longest or (choices[held.chosen] if held.chosen is not None else None)
        if chosen is None:
            self.note(about, choices, concluded="The answer in free words selects none of them.")
            return Unknown("The answer in free words selects none of the candidates.")
        self.note(about, choices, concluded=f"The answer in free words selects {chosen.label}.")
        return self.select(chosen, f"The answer “{said}” fits {chosen.label} and no other.")

    def _said(self, slot: Slot) -> str | None:
        texts = [answer.text for answer in self.answers if answer.slot == slot.value and answer.text]
        return texts[-1] if texts else None

    def _answered(self, slot: Slot, choices: Sequence[Choice]) -> Choice | None:
        chosen = [answer.choice for answer in self.answers if answer.slot == slot.value and answer.choice]
        return next((choice for pick in reversed(chosen) for choice in choices if choice.id == pick), None)

    def _who_answered(self, slot: Slot) -> str:
        names = [
            answer.answered_by for answer in self.answers if answer.slot == slot.value and answer.answered_by
        ]
        return names[-1] if names else "An answer"


def listed(words: Sequence[str]) -> str:
    """The words as the subject of a sentence and its verb: `The words “a”, “b” fit`."""
    quoted = ", ".join(f"“{word}”" for word in words)
    return f"The word {quoted} fits" if len(words) == 1 else f"The words {quoted} fit"
