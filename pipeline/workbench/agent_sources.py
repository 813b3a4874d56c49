"""The sources and listeners of agents, besides the tree that they change."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipeline.agents.delegation import Tell
    from pipeline.code_registry.registry import Registry
    from pipeline.github_read.reader import GitHubReader


@dataclass(frozen=True)
class AgentSources:
    """One object for all workbenches of a run.

    Attributes:
        registry: what the code that they work on has.
        find_places: ranks files for words, as text for a model.
        issues: the repository's issues; None without a token.
        notes_of_people: what people wrote about the change before a round.
        note: takes a stage and a note of it for the journal; `tell` what happens to agents that agents start.
        environment: ours, of which commands see next to nothing.
    """

    registry: "Callable[[], Registry]"
    find_places: "Callable[[str], str]"
    issues: "GitHubReader | None" = None
    notes_of_people: "Callable[[int], tuple[str, ...]]" = lambda _round: ()
    note: "Callable[[str, str], None]" = lambda _stage, _text: None
    tell: "Tell" = lambda _event: None
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
