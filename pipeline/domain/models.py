"""Two bases of what is read from JSON or YAML, or written to it."""

from pydantic import BaseModel, ConfigDict


class FrozenModel(BaseModel):
    """Nothing changes it once it is there."""

    model_config = ConfigDict(frozen=True)


class ClosedModel(FrozenModel):
    """It has no keys but its own."""

    model_config = ConfigDict(extra="forbid")
