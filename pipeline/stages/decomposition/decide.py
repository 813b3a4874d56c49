"""The order of the decision, from the citations and words of an issue to targets, to a question, or to neither.

1. What the author cites (`by_citation`): a route, a name in code, a line, a traceback. One thing is the target. Several are
   a question, unless an answer or the words of the issue select one of them.
2. What a person chose among routes, what a model that read the routes finds open (`by_model`), what the words fit
   (`by_words`): a command, a setting, routes that share a function. Readings and words make a question or a suggestion, never
   a target.
3. The ranking of the files doubts both (`from_ranking`): nothing is a target, and nothing is asked, far from likely files.
4. A decision of the repository answers a question that is still open (`decided_before`).
5. Without a target and a question, a file that is cited or nearly certain is the target (`from_ranking`).
"""

from collections.abc import Sequence

from pipeline.contract.decisions import Decision
from pipeline.stages.decomposition.by_citation import by_citation
from pipeline.stages.decomposition.by_words import by_words
from pipeline.stages.decomposition.decided_before import answer_by_decision
from pipeline.stages.decomposition.from_ranking import by_ranking
from pipeline.stages.decomposition.outcome import NoMatch, Outcome
from pipeline.stages.decomposition.subject import Subject


def decide_targets(subject: Subject, decisions: Sequence[Decision]) -> tuple[Outcome, str | None]:
    """Decide; the rows of the subject then hold the evidence. The second is the decision that answered, in a sentence."""
    outcome = by_citation(subject) or by_words(subject) or NoMatch(_nothing_found(subject))
    outcome, sentence = answer_by_decision(outcome, decisions, subject)
    return by_ranking(outcome, subject), sentence


def _nothing_found(subject: Subject) -> str:
    """Why there is no target, where nothing else says it."""
    if subject.anchors.anchors or subject.ranking.cited:
        return "What the issue cites does not say where the change belongs."
    return "The issue names no file, function, route or setting that the code has."
