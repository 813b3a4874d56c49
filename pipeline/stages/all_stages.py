"""Every stage kind that a definition may use: one line per stage module."""

from collections.abc import Mapping
from types import MappingProxyType

from pipeline.stages import (
    agent,
    baseline,
    coder,
    command,
    places,
    preconditions,
    registry,
    reviewer,
    snapshot,
    tests,
    ticket,
    under_way,
)
from pipeline.stages.change import stage as change
from pipeline.stages.decomposition import stage as decomposition
from pipeline.stages.existing import stage as existing
from pipeline.stages.reading import stage as reading
from pipeline.stages.semantics import decide as semantics
from pipeline.stages.semantics import exploring as plans
from pipeline.stages.stage import AnyStageKind

_KINDS = (
    snapshot.KIND,
    preconditions.KIND,
    under_way.KIND,
    registry.KIND,
    reading.KIND,
    places.KIND,
    existing.KIND,
    decomposition.KIND,
    plans.KIND,
    semantics.KIND,
    ticket.KIND,
    baseline.KIND,
    coder.KIND,
    tests.KIND,
    reviewer.KIND,
    change.KIND,
    agent.KIND,
    command.KIND,
)

STAGE_KINDS: Mapping[str, AnyStageKind] = MappingProxyType({kind.name: kind for kind in _KINDS})
"""The word in `uses` and what it means."""
