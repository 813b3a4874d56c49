"""Every stage kind that a definition may use: one line per stage module."""

from collections.abc import Mapping
from types import MappingProxyType

from pipeline.stages import agent
from pipeline.stages.stage import StageKind

STAGE_KINDS: Mapping[str, StageKind] = MappingProxyType({kind.name: kind for kind in (agent.KIND,)})
"""The word in `uses` and what it means."""
