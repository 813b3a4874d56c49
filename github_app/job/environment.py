"""What a job knows of itself: its run, its event, its token. Read once; all that is missing is reported together."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from github_app.intake.delivery import RepositoryPayload
from github_app.ports.github import Repository
from github_app.settings import CannotStart

RECORDS_FOLDER = "askfirst-conversation"
"""Folder under `RUNNER_TEMP` whose files the job uploads: see `github_app.job.markers`."""


class NoJob(CannotStart):
    """This command runs in a job of GitHub Actions."""


@dataclass(frozen=True)
class JobEnvironment:
    """One job of one run. `name` is the command that it runs. `marker_key`, `app_id` and `private_key` come from secrets of the
    repository, and are empty without them.
    """

    name: str
    event: str
    payload: Mapping[str, Any]
    repository: Repository
    run_id: int
    attempt: int
    token: str = field(repr=False)
    marker_key: bytes = field(repr=False)
    temporary: Path
    output: Path
    app_id: str = ""
    private_key: str = field(default="", repr=False)

    @property
    def records(self) -> Path:
        """Where the records of the conversation are left for the upload."""
        return self.temporary / RECORDS_FOLDER

    def write_outputs(self, outputs: Mapping[str, str]) -> None:
        """Set outputs of the step. No value may hold a line break."""
        with self.output.open("a", encoding="utf-8") as file:
            file.writelines(f"{name}={value}\n" for name, value in outputs.items())


def read_job(name: str, environment: Mapping[str, str] = os.environ) -> JobEnvironment:
    """The job that this process runs in.

    Raises:
        NoJob: variables are missing, or the event is none that belongs to a repository.
    """
    required_variables = (
        "GITHUB_EVENT_NAME", "GITHUB_EVENT_PATH", "GITHUB_RUN_ID", "GITHUB_TOKEN", "GITHUB_OUTPUT", "RUNNER_TEMP",
    )  # fmt: skip
    missing = [variable for variable in required_variables if not environment.get(variable)]
    if missing:
        raise NoJob(
            f"askfirst-app {name} runs in a job of GitHub Actions, and {', '.join(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} not set.\n"
            "`askfirst init --no-app` writes a workflow that calls it with everything it needs."
        )
    if bool(environment.get("ASKFIRST_APP_ID")) != bool(environment.get("ASKFIRST_PRIVATE_KEY")):
        raise NoJob(
            "An App speaks with two secrets, and one is empty: ASKFIRST_APP_ID and ASKFIRST_PRIVATE_KEY.\n"
            "Set both, or remove both: gh secret set ASKFIRST_APP_ID; gh secret set ASKFIRST_PRIVATE_KEY < app.pem"
        )
    path = Path(environment["GITHUB_EVENT_PATH"])
    try:
        payload = json.loads(path.read_bytes())
        repository = RepositoryPayload.model_validate(payload["repository"])
    except (OSError, ValueError, KeyError, TypeError, ValidationError) as error:
        raise NoJob(f"{path} is no event of a repository: {type(error).__name__}") from error
    return JobEnvironment(
        name=name,
        event=environment["GITHUB_EVENT_NAME"],
        payload=payload,
        repository=Repository(0, repository.id, repository.full_name, repository.default_branch),
        run_id=int(environment["GITHUB_RUN_ID"]),
        attempt=int(environment.get("GITHUB_RUN_ATTEMPT") or 1),
        token=environment["GITHUB_TOKEN"],
        marker_key=environment.get("ASKFIRST_MARKER_KEY", "").encode(),
        app_id=environment.get("ASKFIRST_APP_ID", ""),
        private_key=environment.get("ASKFIRST_PRIVATE_KEY", ""),
        temporary=Path(environment["RUNNER_TEMP"]),
        output=Path(environment["GITHUB_OUTPUT"]),
    )
