"""Choose between candidates: by answers, then by the words of the issue; where neither does, the question stays open."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.contract.answers import Answer
from pipeline.contract.code_slots import CodeSlot
from pipeline.domain.issue import Citation, IssueKind
from pipeline.domain.words import stems_of_all
from pipeline.stages.decomposition.candidates import CodeChoice, in_order, labels_in_words
from pipeline.stages.decomposition.elsewhere import choice_of, is_to_question_between
from pipeline.stages.decomposition.free_answer import choose_by_text
from pipeline.stages.decomposition.outcome import NoMatch, OpenChoice, Outcome, Selection, Suggestion
from pipeline.stages.decomposition.subject import Subject
from pipeline.stages.selection.evidence import Discrimination, discriminate
from pipeline.stages.selection.language_weights import REQUEST_WORDS


@dataclass(frozen=True)
class Chooser:
    """Chooses for one subject, and notes each step in its rows."""

    subject: Subject

    def choose(
        self,
        slot: CodeSlot,
        choices: Sequence[CodeChoice],
        about: str,
        *,
        leaf: str | None = None,
        quotes: tuple[str, ...],
        leading_words: frozenset[str] = frozenset(),
        citation: Citation | None = None,
    ) -> Outcome:
        """Let answers, then words select; leave open what neither does.

        `leading_words` are the words that led to the candidates: they speak for all of them, and tell none apart. `citation` is
        what the candidates share; where only words lead to them, words select no target.
        """
        subject = self.subject
        if (by_answer := self.by_answer(slot, choices, about)) is not None:
            return by_answer
        comparison = self._hold(slot, choices, subject.terms.stems - leading_words - REQUEST_WORDS)
        if comparison.chosen_index is not None:
            return self._by_words(comparison, comparison.chosen_index, choices, about, citation)
        if subject.document.kind is IssueKind.BUG:
            subject.note(
                about, choices, concluded="A bug report does not wish that one of several be changed."
            )
            return NoMatch(
                f"Several things fit: {labels_in_words(choices)}. A bug report does not choose between them."
            )
        return OpenChoice(slot, *self._in_order(comparison, choices, about), leaf, quotes)

    def leave_open(
        self, slot: CodeSlot, choices: Sequence[CodeChoice], about: str, *, leaf: str | None
    ) -> Outcome:
        """Let answers select, and no words. `answered_elsewhere` has handled choices from the whole code before."""
        if (by_answer := self.by_answer(slot, choices, about)) is not None:
            return by_answer
        ranking, reason = in_order(choices, self.subject.terms.stems)
        return OpenChoice(slot, ranking, reason, leaf, (about,) if about else ())

    def answered_elsewhere(self, slot: CodeSlot) -> Selection | None:
        """What the newest answer chose of the whole code, whatever the candidates are today."""
        answer = next(iter(self._answers(slot)), None)
        if answer is None:
            return None
        registry = self.subject.registry
        if answer.text:
            choices = [choose_by_text(answer.text, (), registry)]
        else:
            choices = [choice_of(pick, registry) for pick in answer.choices or (answer.choice,) if pick]
        chosen_choices = [choice for choice in choices if choice is not None]
        if not chosen_choices or len(chosen_choices) < len(choices):
            return None
        return self._as_answered(slot, chosen_choices)

    def _as_answered(self, slot: CodeSlot, choices: Sequence[CodeChoice]) -> Selection:
        people = (answer.answered_by for answer in self._answers(slot) if answer.answered_by)
        labels = " and ".join(choice.label for choice in choices)
        because = f"{next(people, 'An answer')} chose {labels}."
        return Selection(tuple(choice.code_place() for choice in choices), because, choices[0].chain)

    def by_answer(
        self, slot: CodeSlot, choices: Sequence[CodeChoice], about: str
    ) -> Selection | NoMatch | None:
        """What the newest answer chooses among these, or instead of them, or says in words; of several things, all must still
        be there.
        """
        by_id = {choice.id: choice for choice in choices}
        for answer in self._answers(slot):
            if answer.text:
                return self._by_free_answer(answer.text, choices, about)
            picks = answer.choices or ((answer.choice,) if answer.choice else ())
            if is_to_question_between(answer, slot, choices):
                other_choices = {
                    id_: choice_of(id_, self.subject.registry) for id_ in picks if id_ not in by_id
                }
                by_id |= {id_: choice for id_, choice in other_choices.items() if choice is not None}
            if picks and all(pick in by_id for pick in picks):
                answered_choices = [by_id[pick] for pick in picks]
                labels = " and ".join(choice.label for choice in answered_choices)
                self.subject.note(about, choices, concluded=f"An answer chose {labels}.")
                return self._as_answered(slot, answered_choices)
        return None

    def _hold(self, slot: CodeSlot, choices: Sequence[CodeChoice], stems: frozenset[str]) -> Discrimination:
        """The words against the choices; where words of several contradict each other, those of the title decide."""
        terms = self.subject.terms
        vocabularies = [choice.vocabulary for choice in choices]
        outdoing = slot.is_by_name
        comparison = discriminate(stems, vocabularies, excluded_stems=terms.excluded_stems, outdoing=outdoing)
        if not comparison.is_contradictory:
            return comparison
        title = frozenset(stem for stem in stems if terms.is_in_title(stem))
        by_title = discriminate(title, vocabularies, excluded_stems=terms.excluded_stems, outdoing=outdoing)
        return comparison if by_title.chosen_index is None else by_title

    def _by_words(
        self,
        comparison: Discrimination,
        index: int,
        choices: Sequence[CodeChoice],
        about: str,
        citation: Citation | None,
    ) -> Selection | Suggestion:
        choice, others = choices[index], [*choices[:index], *choices[index + 1 :]]
        words = self.subject.terms.quote(comparison.unique_words[index])
        because = (
            f"{words_that_fit(words)} {choice.label}, and none of the other candidates: {labels_in_words(others)}."
            if words
            else f"The issue rules out every candidate but {choice.label}."
        )
        self.subject.note(about, choices, words=words, concluded=because)
        return Suggestion(choice, because) if citation is None else select(choice, because, citation)

    def _in_order(
        self, comparison: Discrimination, choices: Sequence[CodeChoice], about: str
    ) -> tuple[tuple[CodeChoice, ...], str | None]:
        """What the words leave, and what speaks for the first of it."""
        if len(comparison.candidates) < len(choices):
            out = ", ".join(
                choice.label for place, choice in enumerate(choices) if place not in comparison.candidates
            )
            words = self.subject.terms.quote(self.subject.terms.excluded_stems)
            self.subject.note(about, choices, words=words, concluded=f"The issue rules out {out}.")
        cited_stems = stems_of_all(anchor.citation.text for anchor in self.subject.anchors.anchors)
        shortlist = [choices[index] for index in comparison.shortlist]
        ranking, reason = in_order(shortlist, self.subject.terms.stems | cited_stems)
        fits = frozenset[str]().union(*(comparison.matched_words[index] for index in comparison.candidates))
        self.subject.note(
            about, ranking, words=self.subject.terms.quote(fits), concluded="No word fits one and no other."
        )
        return ranking, reason

    def _by_free_answer(self, text: str, choices: Sequence[CodeChoice], about: str) -> Selection | NoMatch:
        choice = choose_by_text(text, choices, self.subject.registry)
        if choice is None:
            self.subject.note(about, choices, concluded="The answer in free words names nothing in the code.")
            return NoMatch(f"The answer “{text}” names nothing in the code.")
        self.subject.note(about, choices, concluded=f"The answer in free words selects {choice.label}.")
        return select(choice, f"The answer “{text}” names {choice.label}.")

    def _answers(self, slot: CodeSlot) -> list[Answer]:
        return [answer for answer in reversed(self.subject.answers) if answer.slot == slot.id]


def select(choice: CodeChoice, because: str, citation: Citation | None = None) -> Selection:
    """One choice is the target, by a citation or by an answer."""
    return Selection((choice.code_place(),), because, choice.chain, citation)


def words_that_fit(words: Sequence[str]) -> str:
    """The words as the subject of a sentence and its verb: `The words “a”, “b” fit`."""
    quotations = ", ".join(f"“{word}”" for word in words)
    return f"The word {quotations} fits" if len(words) == 1 else f"The words {quotations} fit"
