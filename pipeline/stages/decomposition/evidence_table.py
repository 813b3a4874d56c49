"""What the stage saw and why it decided so: the rows that `askfirst explain` shows and the ticket keeps."""

from pydantic import BaseModel, ConfigDict


class EvidenceRow(BaseModel):
    """One step of the decision. `candidates` are labels; `words` are the ticket's words that fit, by candidate."""

    model_config = ConfigDict(frozen=True)

    about: str
    candidates: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    concluded: str
