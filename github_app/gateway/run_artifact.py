"""Fetch what a run left behind, as if an attacker had written it: within limits, compared with its digest, parsed.

Any code that runs in the job can upload any content under this name. So the size is checked before the download and
while it runs, the archive is unpacked in memory and only where every entry is expected, and the document is checked by
the contract. Whose run it was is never read from here.
"""

import hashlib
import io
import json
import stat
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Callable
from http.client import HTTPException
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from pydantic import ValidationError
from pydantic_core import from_json

from github_app.gateway.app_auth import TokenScope
from github_app.gateway.connections import Connections
from github_app.gateway.rest import Rest, RestAnswer
from github_app.ports.github import ArtifactRefused, Ending, GitHubRefused, GitHubUnavailable, Repository
from pipeline.contract.artifact import CHANGE_FILE, ENDINGS, RUN_FILE, TICKET_FILE, artifact_name
from pipeline.contract.change import Change
from pipeline.contract.clarification import Clarification
from pipeline.contract.failure import Failure
from pipeline.contract.run import RunRecord
from pipeline.contract.ticket import Ticket

if TYPE_CHECKING:
    from github_app.settings import GitHubAddress

LARGEST_ARCHIVE = 16 << 20
"""Bytes of an archive that are downloaded at most: a change holds whole files, and not all of them shrink."""
LARGEST_MEMBER = 1 << 20
"""Bytes to which a document may unpack."""
LARGEST_CHANGE = 16 << 20
"""Bytes to which a change may unpack: the largest one that is allowed, in base64, and something for its names."""
MOST_DOLLARS = 1_000_000.0
"""That one run is believed to have cost."""
MOST_MEMBERS = 2
"""One ending; a ticket may come with the change."""

_GONE_STATUSES = {404, 410}
_TIMEOUT_SECONDS = 15
_DIGEST_PREFIX = "sha256:"


_Document = TypeVar("_Document", Clarification | Failure | Ticket, Change, RunRecord)


class _Artifact(RestAnswer):
    id: int
    name: str
    size_in_bytes: int
    expired: bool
    digest: str | None = None


class GitHubArtifacts:
    """`github_app.ports.github.Artifacts`: the ending, the cost and the memo's digest of a run."""

    def __init__(self, connections: Connections, settings: "GitHubAddress") -> None:
        self._connections = connections
        self._plain_http = urlsplit(settings.api_url).scheme == "http"

    def ending(self, repository: Repository, run_id: int, attempt: int) -> Ending | None:
        """The ending of a run, out of `clarification-<run_id>-<attempt>`; None when there is none, or it expired.

        Raises:
            ArtifactRefused: there is one, and it must not be used.
        """
        download = self.archive(repository, run_id, artifact_name("clarification", str(run_id), attempt))
        if download is None:
            return None
        archive, digest = download
        return Ending(read_ending(archive), digest, read_change(archive))

    def archive(self, repository: Repository, run_id: int, name: str) -> tuple[bytes, str] | None:
        """An artifact of a run as it was uploaded, and its digest; None when there is none, or it expired.

        Raises:
            ArtifactRefused: it is too large, or not what its digest says.
        """
        reader = self._connections.to(repository, TokenScope.READ_RUNS)
        artifact = _find(reader, repository, run_id, name)
        if artifact is None:
            return None
        if artifact.size_in_bytes > LARGEST_ARCHIVE:
            raise ArtifactRefused(f"{artifact.name} is larger than {LARGEST_ARCHIVE} bytes")
        try:
            headers, _ = reader.request(
                "GET", f"/repos/{repository.full_name}/actions/artifacts/{artifact.id}/zip"
            )
        except GitHubRefused as refusal:
            if refusal.status in _GONE_STATUSES:
                return None
            raise
        archive = self._download(headers.get("location", ""))
        digest = _digest_of(artifact)
        if hashlib.sha256(archive).hexdigest() != digest:
            raise ArtifactRefused(f"{artifact.name} is not what its digest says")
        return archive, digest

    def memo_sha256(self, repository: Repository, run_id: int, attempt: int) -> str | None:
        """SHA-256 (64 hex digits) of the run's `memo-…` artifact as GitHub states it; None when there is none."""
        reader = self._connections.to(repository, TokenScope.READ_RUNS)
        artifact = _find(reader, repository, run_id, artifact_name("memo", str(run_id), attempt))
        return None if artifact is None else _digest_of(artifact)

    def cost(self, repository: Repository, run_id: int, attempt: int) -> float | None:
        """The dollars that a run tells in `run.json` of `run-<run_id>-<attempt>`; None where it tells none.

        Raises:
            ArtifactRefused: there is a record, and it must not be used.
        """
        download = self.archive(repository, run_id, artifact_name("run", str(run_id), attempt))
        return None if download is None else read_cost(download[0])

    def _download(self, location: str) -> bytes:
        """The archive from the storage host that GitHub points to, valid for a minute.

        That host is not GitHub: it gets no Authorization header, and it may not send us on to a third one.
        """
        if urlsplit(location).scheme != "https" and not (self._plain_http and location.startswith("http://")):
            raise GitHubUnavailable("GitHub gave no address for the artifact")
        opener = urllib.request.build_opener(_NoRedirect())
        try:
            with opener.open(location, timeout=_TIMEOUT_SECONDS) as answer:
                archive: bytes = answer.read(LARGEST_ARCHIVE + 1)
        except urllib.error.HTTPError as error:
            raise GitHubUnavailable(f"the artifact's host answered {error.code}") from error
        except (OSError, HTTPException) as error:
            raise GitHubUnavailable(f"the artifact's host gave no answer: {type(error).__name__}") from error
        if len(archive) > LARGEST_ARCHIVE:
            raise ArtifactRefused(f"the artifact is larger than {LARGEST_ARCHIVE} bytes")
        return archive


def _find(reader: Rest, repository: Repository, run_id: int, name: str) -> _Artifact | None:
    """The artifact of exactly this name that can still be had. The list covers all attempts of the run."""
    path = f"/repos/{repository.full_name}/actions/runs/{run_id}/artifacts"
    artifacts = [
        artifact
        for artifact in reader.pages(_Artifact, path, within="artifacts", name=name)
        if artifact.name == name and not artifact.expired
    ]
    return max(artifacts, key=lambda artifact: artifact.id, default=None)


def _digest_of(artifact: _Artifact) -> str:
    if artifact.digest is None or not artifact.digest.startswith(_DIGEST_PREFIX):
        raise ArtifactRefused(f"{artifact.name} has no SHA-256 digest")
    return artifact.digest.removeprefix(_DIGEST_PREFIX)


def read_ending(archive: bytes) -> Clarification | Failure | Ticket:
    """The one document of an archive that says how its run ended.

    Memory stays within a small multiple of the limits, whatever the archive claims.

    Raises:
        ArtifactRefused: no archive of exactly the expected entries, or no valid document.
    """
    name, text = _read(
        archive,
        lambda entries: next(name for name in _expected_entries(entries) if name in ENDINGS),
        LARGEST_MEMBER,
    )
    return _parse(ENDINGS[name], name, text)


def read_change(archive: bytes) -> Change | None:
    """The change of an archive, if its ticket comes with one.

    Raises:
        ArtifactRefused: as `read_ending`.
    """
    name, text = _read(
        archive,
        lambda entries: CHANGE_FILE if CHANGE_FILE in _expected_entries(entries) else "",
        LARGEST_CHANGE,
    )
    return _parse(Change, name, text) if name else None


def read_member(archive: bytes, name: str) -> bytes:
    """One file of an archive whose other files do not matter, unpacked to no more than a document may be.

    Raises:
        ArtifactRefused: no plain archive, or no such file in it.
    """

    def choose_name(entries: list[zipfile.ZipInfo]) -> str:
        if [entry.filename for entry in entries].count(name) != 1:
            raise ArtifactRefused(f"the artifact does not hold one {name}")
        return name

    return _read(archive, choose_name, LARGEST_MEMBER)[1]


def read_cost(archive: bytes) -> float | None:
    """The dollars of all stages in the record of a run; None where no stage tells any.

    Raises:
        ArtifactRefused: no plain archive, or no valid record in it.
    """
    record = _parse(RunRecord, RUN_FILE, read_member(archive, RUN_FILE))
    costs = [max(0.0, stage.dollars) for stage in record.stages if stage.dollars is not None]
    return min(sum(costs), MOST_DOLLARS) if costs else None


def _read(
    archive: bytes, choose_name: Callable[[list[zipfile.ZipInfo]], str], largest: int
) -> tuple[str, bytes]:
    """Name and bytes of one entry of an archive; "" chooses none."""
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as zip_file:
            name = choose_name(zip_file.infolist())
            if not name:
                return name, b""
            with zip_file.open(name) as entry:
                text = entry.read(largest + 1)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, ValueError, RuntimeError) as error:
        raise ArtifactRefused(f"the artifact is no plain zip archive: {error}") from error
    if len(text) > largest:
        raise ArtifactRefused(f"{name} unpacks to more than {largest} bytes")
    return name, text


def _expected_entries(entries: list[zipfile.ZipInfo]) -> list[str]:
    """The names, if the archive holds exactly one ending, and nothing else but the change of a ticket."""
    if len(entries) > MOST_MEMBERS:
        raise ArtifactRefused(
            f"the artifact holds {len(entries)} entries; at most {MOST_MEMBERS} are expected"
        )
    names = [entry.filename for entry in entries]
    if len(set(names)) != len(names):
        raise ArtifactRefused("the artifact holds two entries of the same name")
    other_names = set(names) - {*ENDINGS, CHANGE_FILE}
    if other_names:
        raise ArtifactRefused(f"the artifact holds {min(other_names)[:80]!r}, which is not expected")
    endings = [name for name in names if name in ENDINGS]
    if len(endings) != 1:
        raise ArtifactRefused(f"the artifact must hold exactly one of {', '.join(ENDINGS)}")
    if CHANGE_FILE in names and endings != [TICKET_FILE]:
        raise ArtifactRefused(f"{CHANGE_FILE} may only stand beside {TICKET_FILE}")
    for entry in entries:
        mode = entry.external_attr >> 16
        if stat.S_IFMT(mode) not in {0, stat.S_IFREG}:
            raise ArtifactRefused(f"{entry.filename} is no plain file")
        if entry.flag_bits & 1 or entry.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            raise ArtifactRefused(f"{entry.filename} is encrypted, or packed in an unusual way")
    return names


def _parse(model: type[_Document], name: str, text: bytes) -> _Document:
    """The document. NaN, infinities, text that is not UTF-8 and deep nesting are refused before the model sees it."""
    try:
        json.dumps(from_json(text, allow_inf_nan=False), allow_nan=False)
        return model.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        field_path = ".".join(map(str, first["loc"]))
        raise ArtifactRefused(f"{name} is no valid document: {field_path}: {first['msg']}") from error
    except ValueError as error:
        raise ArtifactRefused(f"{name} is no JSON that we read: {error}") from error


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Takes a redirect for an answer."""

    def redirect_request(self, *_: object) -> None:
        """Never follow."""
