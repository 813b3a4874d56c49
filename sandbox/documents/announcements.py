"""What a happening looks like as a webhook payload: the event's own parts, then repository, installation, sender."""

from sandbox.documents.documents import Document, Documents
from sandbox.documents.of_checks import check_suite_document
from sandbox.documents.of_code import pull_request_document, review_document
from sandbox.documents.of_runs import run_document, workflow_document
from sandbox.world.state import Account, AccountType, Installation, Repository
from sandbox.world.world import Happening

ALWAYS_SENT = ("installation", "installation_repositories", "github_app_authorization", "ping")
"""Events that an App gets without having subscribed to them."""

_NAMES_OF_A_REPOSITORY = ("id", "node_id", "name", "full_name", "private")


def installation_for(documents: Documents, happening: Happening) -> Installation | None:
    """The installation an event goes to; None if the App is not installed there."""
    if happening.installation is not None:
        return happening.installation
    if happening.repository is None:
        return None
    return documents.world.installation_of(happening.repository)


def payload_of(documents: Documents, happening: Happening) -> Document:
    """The JSON body of the delivery."""
    payload: Document = {} if happening.action is None else {"action": happening.action}
    repository = happening.repository
    if repository is not None:
        payload |= _parts(documents, happening, repository)
        payload["repository"] = documents.repository(repository)
        if repository.owner.type is AccountType.ORGANIZATION:
            payload["organization"] = documents.organization(repository.owner)
    if happening.changes is not None:
        payload["changes"] = happening.changes
    payload |= {name: _plain(documents, value) for name, value in happening.extra.items()}
    installation = installation_for(documents, happening)
    if happening.installation is not None:
        payload["installation"] = documents.installation(happening.installation)
        repositories = documents.world.repositories_of(happening.installation)
        payload["repositories"] = [
            {name: documents.repository(repository)[name] for name in _NAMES_OF_A_REPOSITORY}
            for repository in repositories
        ]
    elif installation is not None:
        payload["installation"] = {
            "id": installation.id,
            "node_id": documents.installation(installation)["node_id"],
        }
    payload["sender"] = documents.account(happening.sender)
    return payload


def event_payload(documents: Documents, happening: Happening) -> Document:
    """The same as a job reads it from `GITHUB_EVENT_PATH`: jobs are told nothing of installations."""
    payload = payload_of(documents, happening)
    payload.pop("installation", None)
    return payload


def _parts(documents: Documents, happening: Happening, repository: Repository) -> Document:
    parts: Document = {}
    issue = happening.issue
    if issue is not None:
        if happening.event.startswith("pull_request"):
            parts["pull_request"] = pull_request_document(documents, repository, issue)
            parts["number"] = issue.number
        else:
            parts["issue"] = documents.issue(repository, issue)
        if happening.comment is not None:
            parts["comment"] = documents.comment(repository, issue, happening.comment)
        if happening.review is not None:
            review = review_document(documents, repository, issue, happening.review)
            # The webhook writes the state in lower case, the REST answer in upper case.
            parts["review"] = {**review, "body": happening.review.body, "state": happening.review.state}
    if happening.label is not None:
        parts["label"] = documents.label(repository, happening.label)
    if happening.run is not None:
        parts["workflow_run"] = run_document(documents, repository, happening.run)
        workflow = repository.workflows[happening.run.path]
        parts["workflow"] = workflow_document(documents, repository, workflow)
    if happening.check_suite is not None:
        parts["check_suite"] = check_suite_document(documents, repository, happening.check_suite)
    return parts


def _plain(documents: Documents, value: object) -> object:
    return documents.account(value) if isinstance(value, Account) else value
