"""Choose between candidates: by answers, then by the words of the issue; where neither does, the question stays open."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pipeline.code_registry.entries import Route
from pipeline.contract.answers import Answer
from pipeline.domain.issue import Citation, IssueKind
from pipeline.domain.words import stems_of_all
from pipeline.stages.decomposition.candidates import Choice, in_order, route_choices
from pipeline.stages.decomposition.elsewhere import chosen_elsewhere
from pipeline.stages.decomposition.free_answer import choose_by_text
from pipeline.stages.decomposition.outcome import Outcome, Selected, Suggested, Undecided, Unknown
from pipeline.stages.decomposition.questions import Slot
from pipeline.stages.decomposition.subject import Subject
from pipeline.stages.selection.evidence import Discrimination, Verdict, discriminate
from pipeline.stages.selection.language_weights import REQUEST_WORDS
from pipeline.stages.selection.packages import differ_in_package, package_of
from pipeline.stages.selection.vocabulary import Vocabulary

_IN_PACKAGES = frozenset({Slot.MODEL, Slot.DEFINITION, Slot.SETTING})
"""Slots whose candidates may be one thing that each of several packages has."""

_BY_NAME = frozenset({Slot.MODEL, Slot.DEFINITION, Slot.SETTING, Slot.COMMAND, Slot.PACKAGE})
"""Slots whose candidates share a name or words; those of the others lead to one place by calls."""


@dataclass(frozen=True)
class Chooser:
    """Chooses for one subject, and notes each step in its rows."""

    subject: Subject

    def choose(
        self,
        slot: Slot,
        choices: Sequence[Choice],
        about: str,
        *,
        leaf: str | None = None,
        quotes: tuple[str, ...],
        spent: frozenset[str] = frozenset(),
        citation: Citation | None = None,
    ) -> Outcome:
        """Let answers, then words select; leave open what neither does.

        `spent` are the words that led to the candidates: they speak for all of them, and tell none apart. `citation` is
        what the candidates share; where only words lead to them, words select no target.
        """
        subject = self.subject
        if slot in _IN_PACKAGES and self._is_same_thing_in_each(choices):
            slot, choices = Slot.PACKAGE, [self._by_package(choice) for choice in choices]
        if (answered := self._answered(slot, choices)) is not None:
            subject.note(about, choices, concluded=f"An answer chose {answered.label}.")
            return select(answered, f"{self._who_answered(slot)} chose {answered.label}.")
        if (text := self._free_answer(slot)) is not None:
            return self._by_free_answer(text, choices, about)
        held = self._hold(slot, choices, subject.terms.stems - spent - REQUEST_WORDS.keys())
        if held.chosen is not None:
            return self._by_words(held, held.chosen, choices, about, citation)
        if subject.document.kind is IssueKind.BUG:
            subject.note(
                about, choices, concluded="A bug report does not wish that one of several be changed."
            )
            return Unknown("Several things fit, and a bug report does not choose between them.")
        asked = self._open(slot, held, choices, about, leaf=leaf, quotes=quotes)
        chosen = chosen_elsewhere(asked, subject.answers, subject.registry)
        if chosen is None:
            return asked
        subject.note(about, choices, concluded=f"An answer chose {chosen.label}, which is no candidate.")
        return select(chosen, f"{self._who_answered(slot)} chose {chosen.label}.")

    def routes(self, routes: Sequence[Route]) -> list[Choice]:
        """Routes as choices, one for each handler."""
        return route_choices(self.subject.registry, routes)

    def _is_same_thing_in_each(self, choices: Sequence[Choice]) -> bool:
        """Whether the choices have one name, and each a package of its own."""
        names = {choice.label.partition(" (")[0] for choice in choices}
        paths = [choice.place.path for choice in choices]
        return len(names) == 1 and differ_in_package(paths, self.subject.registry)

    def _by_package(self, choice: Choice) -> Choice:
        """A choice whose package is its name: the folder tells it apart, and nothing else does."""
        package = stems_of_all((package_of(choice.place.path, self.subject.registry) or "").split("/"))
        own = choice.vocabulary
        return replace(choice, vocabulary=Vocabulary(own.strong | package, own.weak - package))

    def _hold(self, slot: Slot, choices: Sequence[Choice], stems: frozenset[str]) -> Discrimination:
        """The words against the choices; where words of several contradict each other, those of the title decide."""
        terms = self.subject.terms
        vocabularies = [choice.vocabulary for choice in choices]
        outdoing = slot in _BY_NAME
        held = discriminate(stems, vocabularies, excluded=terms.excluded, outdoing=outdoing)
        if held.verdict is not Verdict.CONTRADICTORY:
            return held
        title = frozenset(stem for stem in stems if terms.is_in_title(stem))
        by_title = discriminate(title, vocabularies, excluded=terms.excluded, outdoing=outdoing)
        return by_title if by_title.verdict is Verdict.SELECTED else held

    def _by_words(
        self,
        held: Discrimination,
        index: int,
        choices: Sequence[Choice],
        about: str,
        citation: Citation | None,
    ) -> Selected | Suggested:
        chosen = choices[index]
        words = self.subject.terms.quote(held.only[index])
        why = f"{listed(words)} it and no other" if words else "The issue rules out the others"
        self.subject.note(about, choices, words=words, concluded=f"{why}: {chosen.label}.")
        because = f"{why}: {chosen.label}."
        return Suggested(chosen, because) if citation is None else select(chosen, because, citation)

    def _open(
        self,
        slot: Slot,
        held: Discrimination,
        choices: Sequence[Choice],
        about: str,
        *,
        leaf: str | None,
        quotes: tuple[str, ...],
    ) -> Undecided:
        close = [choices[index] for index in held.close] if held.chosen is None else list(choices)
        if len(held.alive) < len(choices):
            out = ", ".join(one.label for place, one in enumerate(choices) if place not in held.alive)
            words = self.subject.terms.quote(self.subject.terms.excluded)
            self.subject.note(about, choices, words=words, concluded=f"The issue rules out {out}.")
        named = stems_of_all(anchor.citation.text for anchor in self.subject.anchors.anchors)
        ranked, reason = in_order(close, self.subject.terms.stems | named)
        fits = frozenset[str]().union(*(held.fits[index] for index in held.alive))
        self.subject.note(
            about, ranked, words=self.subject.terms.quote(fits), concluded="No word fits one and no other."
        )
        return Undecided(slot, ranked, reason, leaf, quotes)

    def _by_free_answer(self, text: str, choices: Sequence[Choice], about: str) -> Selected | Unknown:
        chosen = choose_by_text(text, choices, self.subject.registry)
        if chosen is None:
            self.subject.note(about, choices, concluded="The answer in free words names nothing in the code.")
            return Unknown(f"The answer “{text}” names nothing in the code.")
        self.subject.note(about, choices, concluded=f"The answer in free words selects {chosen.label}.")
        return select(chosen, f"The answer “{text}” names {chosen.label}.")

    def _answers(self, slot: Slot) -> list[Answer]:
        return [answer for answer in reversed(self.subject.answers) if answer.slot == slot.value]

    def _free_answer(self, slot: Slot) -> str | None:
        return next((answer.text for answer in self._answers(slot) if answer.text), None)

    def _answered(self, slot: Slot, choices: Sequence[Choice]) -> Choice | None:
        picks = (answer.choice for answer in self._answers(slot) if answer.choice)
        return next((choice for pick in picks for choice in choices if choice.id == pick), None)

    def _who_answered(self, slot: Slot) -> str:
        return next((one.answered_by for one in self._answers(slot) if one.answered_by), "An answer")


def select(choice: Choice, because: str, citation: Citation | None = None) -> Selected:
    """One choice is the target, by a citation or by an answer."""
    return Selected((choice.code_place(),), because, choice.chain, citation)


def listed(words: Sequence[str]) -> str:
    """The words as the subject of a sentence and its verb: `The words “a”, “b” fit`."""
    quoted = ", ".join(f"“{word}”" for word in words)
    return f"The word {quoted} fits" if len(words) == 1 else f"The words {quoted} fit"
