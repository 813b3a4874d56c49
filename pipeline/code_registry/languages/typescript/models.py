"""Classes that hold data."""

from pipeline.code_registry.linking.fields import FoundField, Reading
from pipeline.code_registry.linking.program import Defined


def read_models(reading: Reading, class_: Defined) -> tuple[FoundField, ...]:
    """The fields that a class declares itself."""
    return ()
