"""The artifacts of a run, as GitHub lists them."""

from pydantic import BaseModel, ValidationError

from pipeline.domain.errors import MemoRefused


class ListedArtifact(BaseModel):
    """One artifact: the fields that are used, everything else ignored."""

    id: int
    name: str
    expired: bool
    size_in_bytes: int


class _ArtifactList(BaseModel):
    artifacts: list[ListedArtifact]


def read_artifacts(answer: object) -> list[ListedArtifact]:
    """The artifacts in GitHub's answer.

    Raises:
        MemoRefused: the answer is not of the form that GitHub documents.
    """
    try:
        return _ArtifactList.model_validate(answer).artifacts
    except ValidationError as error:
        raise MemoRefused("GitHub's list of the artifacts cannot be read.", why=str(error)) from error
