"""The kinds of question about the code, one row each. A row holds all that pipeline and App say about such a question.

A *slot* is what a question leaves open: the route, the setting, the command. Adding a kind of question is one row here
and the decision that leaves it open (`.github/CONTRIBUTING.md` has the recipe).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType


@dataclass(frozen=True, kw_only=True)
class CodeSlot:
    """What is open between things of the code, and the words for it.

    Attributes:
        id: part of question ids and of decisions; it never changes.
        noun: what a person selects: "Which *route* should get dry_run?"
        fitting: what several candidates have in common, behind their number: "Two *routes fit*, and no word picks one."
        reason: how the reason in `clarification.json` begins. `{count}` is the number of candidates, `{quote}` what the
            issue says, `{leaf}` the function where the work is done, and `{alike}` the words for equal request bodies.
        reason_from_leaf: the same where a leaf led to the candidates; empty if that changes nothing.
        suggestion: how to write the ticket so that no question is needed.
        is_for_each: whether one wish can be meant for each of them, so that "all" is an answer.
        is_by_name: whether the candidates share a name or words. Those of other slots lead to one place by calls.

    Raises:
        ValueError: a reason has a placeholder without a value.
    """

    id: str
    noun: str
    fitting: str
    reason: str
    suggestion: str
    is_by_name: bool
    is_for_each: bool = True
    reason_from_leaf: str = ""

    def __post_init__(self) -> None:
        try:
            self.begin_reason(count=2, quote="", leaf="", alike="")
        except KeyError as error:
            raise ValueError(
                f"the reason of `{self.id}` has a placeholder {error}; it may have count, quote, leaf and alike"
            ) from error

    def begin_reason(self, *, count: int, quote: str, leaf: str | None, alike: str) -> str:
        """The first words of the reason."""
        template = self.reason if leaf is None else self.reason_from_leaf or self.reason
        return template.format(count=count, quote=quote, leaf=leaf, alike=alike)


class Slot(Enum):
    """All of them."""

    ENTRY_ROUTE = CodeSlot(
        id="entry_route",
        noun="route",
        fitting="routes fit",
        reason="{count} routes fit '{quote}'{alike}",
        reason_from_leaf="{count} routes reach the chain leaf '{leaf}'{alike}",
        suggestion="Name the route by method and path in the ticket prose.",
        is_by_name=False,
    )
    DEFINITION = CodeSlot(
        id="definition",
        noun="definition",
        fitting="definitions have that name",
        reason="{count} definitions are named '{quote}'",
        suggestion="Name the definition with its class or file in the ticket prose.",
        is_by_name=True,
    )
    MODEL = CodeSlot(
        id="model",
        noun="model",
        fitting="models have that field",
        reason="{count} models have a field '{quote}'",
        suggestion="Name the model together with the field in the ticket prose.",
        is_by_name=True,
    )
    CALLER = CodeSlot(
        id="caller",
        noun="caller",
        fitting="functions lead there",
        reason="More than 12 routes reach '{leaf}', through {count} callers",
        suggestion="Name the function that should change in the ticket prose.",
        is_for_each=False,
        is_by_name=False,
    )
    SETTING = CodeSlot(
        id="config",
        noun="setting",
        fitting="settings fit",
        reason="{count} settings fit '{quote}'",
        suggestion="Name the setting, and where two applications have it, the application, in the ticket prose.",
        is_by_name=True,
    )
    COMMAND = CodeSlot(
        id="cli",
        noun="command",
        fitting="commands fit",
        reason="{count} commands fit '{quote}'",
        suggestion="Name the command as it is typed in the ticket prose.",
        is_by_name=True,
    )


CODE_SLOTS: Mapping[str, CodeSlot] = MappingProxyType({slot.value.id: slot.value for slot in Slot})
"""By id."""
