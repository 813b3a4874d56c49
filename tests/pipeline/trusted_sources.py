"""Registries of sources that the parser is known to come back from: a pure test starts no process to find that out."""

from pathlib import Path

from pipeline.code_registry import builder
from pipeline.code_registry.cache import RegistryCache
from pipeline.code_registry.reading import read_here
from pipeline.code_registry.registry import Registry


def build_registry(root: Path, *, cache: RegistryCache | None) -> Registry:
    """The registry of a tree, built in this process alone."""
    return builder.build_registry(root, cache=cache, read=read_here)
