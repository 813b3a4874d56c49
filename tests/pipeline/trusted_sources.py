"""Registries of sources that the parser is known to come back from: a pure test starts no process to find that out."""

from pathlib import Path

from pipeline.code_registry import builder
from pipeline.code_registry.reading import read_here
from pipeline.code_registry.registry import Registry
from pipeline.code_registry.store import IndexStore


def build_registry(root: Path, *, cache: IndexStore | None) -> Registry:
    """The registry of a tree, built in this process alone."""
    return builder.build_registry(root, cache=cache, read=read_here)
