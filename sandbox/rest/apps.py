"""The App and its installations: tokens, repositories, webhook deliveries."""

from sandbox.access import METADATA, narrow
from sandbox.documents.of_runs import delivery_document, full_delivery_document
from sandbox.rest.routes import REPOSITORY, ApiAnswer, ApiCall, Caller, Page, Routes
from sandbox.world.refusals import Invalid, NotFound
from sandbox.world.state import Installation, TokenKind

routes = Routes()


@routes("GET", "/app", caller=Caller.APP)
def get_app(call: ApiCall) -> ApiAnswer:
    """The authenticated App."""
    return ApiAnswer(document=call.documents.app(call.world.the_app))


@routes("POST", "/app-manifests/<code>/conversions", caller=Caller.ANYONE)
def convert_manifest(call: ApiCall, code: str) -> ApiAnswer:
    """The credentials of an App that was registered from a manifest, once."""
    if code not in call.world.registration_codes:
        raise NotFound
    call.world.registration_codes.remove(code)
    app = call.world.the_app
    secrets_of_app = {
        "client_secret": "a secret that the App never uses",
        "webhook_secret": app.webhook_secret,
        "pem": app.private_key_pem,
    }
    return ApiAnswer(201, {**call.documents.app(app), **secrets_of_app})


@routes("GET", "/app/installations", caller=Caller.APP)
def list_installations(call: ApiCall) -> Page:
    """Where the App is installed."""
    return Page([call.documents.installation(i) for i in call.world.installations.values()])


@routes("POST", "/app/installations/<int:installation_id>/access_tokens", caller=Caller.APP)
def create_token(call: ApiCall, installation_id: int) -> ApiAnswer:
    """A token for one hour, narrowed to some repositories and permissions if asked."""
    installation = _installation(call, installation_id)
    repositories = {repository.id: repository for repository in call.world.repositories_of(installation)}
    ids = call.body.get("repository_ids")
    if names := call.body.get("repositories"):
        ids = [r.id for r in repositories.values() if r.name in names] + [0] * (len(names) - len(set(names)))
        if len(ids) != len(names):
            ids = [0]
    if ids is not None and not set(ids) <= set(repositories):
        raise Invalid(
            "There is at least one repository that does not exist or is not accessible to the parent installation."
        )
    permissions = call.body.get("permissions")
    token_permissions = narrow(installation.permissions, permissions)
    narrow_to = ids if ids is not None else installation.repository_ids
    token = call.world.issue_token(
        TokenKind.INSTALLATION, call.world.the_app.bot, token_permissions, narrow_to, installation
    )
    return ApiAnswer(201, call.documents.token(token))


@routes("DELETE", "/installation/token")
def revoke_token(call: ApiCall) -> ApiAnswer:
    """Make the calling token useless."""
    call.token.is_revoked = True
    return ApiAnswer(204)


@routes("GET", "/installation/repositories")
def list_repositories(call: ApiCall) -> Page:
    """The repositories that the calling token reaches."""
    installation = call.world.installations.get(call.token.installation_id or 0)
    if installation is None:
        raise NotFound
    ids = call.token.repository_ids
    repositories = [r for r in call.world.repositories_of(installation) if ids is None or r.id in ids]
    return Page([call.documents.repository(repository) for repository in repositories], "repositories")


@routes("GET", f"{REPOSITORY}/installation", caller=Caller.APP)
def get_installation_of_repository(call: ApiCall, owner: str, repo: str) -> ApiAnswer:
    """The installation that covers a repository."""
    installation = call.world.installation_of(call.world.repository(owner, repo))
    if installation is None:
        raise NotFound
    return ApiAnswer(document=call.documents.installation(installation))


@routes("GET", "/app/hook/config", caller=Caller.APP)
def get_hook_configuration(call: ApiCall) -> ApiAnswer:
    """Where deliveries go; the secret is shown as stars."""
    return ApiAnswer(document=_hook(call))


@routes("GET", "/app/hook/deliveries", caller=Caller.APP)
def list_deliveries(call: ApiCall) -> Page:
    """Attempts, newest first. The `failure` filter covers the codes 400 to 599 only, as on GitHub."""
    status = call.query.get("status")
    attempts = [d for d in call.services.deliveries.attempts if d.status != "pending"]
    if status:
        attempts = [d for d in attempts if (400 <= d.status_code < 600) is (status == "failure")]
    return Page(attempts[::-1], by_cursor=True, document_of=delivery_document)


@routes("GET", "/app/hook/deliveries/<int:delivery_id>", caller=Caller.APP)
def get_delivery(call: ApiCall, delivery_id: int) -> ApiAnswer:
    """One attempt with request and response."""
    return ApiAnswer(document=full_delivery_document(call.services.deliveries.find(delivery_id)))


@routes("POST", "/app/hook/deliveries/<int:delivery_id>/attempts", caller=Caller.APP)
def redeliver(call: ApiCall, delivery_id: int) -> ApiAnswer:
    """Send it again."""
    call.services.deliveries.redeliver(delivery_id)
    return ApiAnswer(202, {})


@routes("GET", f"{REPOSITORY}/collaborators/<username>/permission", METADATA)
def get_permission(call: ApiCall, username: str) -> ApiAnswer:
    """What somebody may do here: `role_name` is exact, `permission` is coarse."""
    account = call.world.find_account(username)
    return ApiAnswer(document=call.documents.collaborator(account, call.world.role(call.repository, account)))


def _installation(call: ApiCall, installation_id: int) -> Installation:
    if installation_id not in call.world.installations:
        raise NotFound
    return call.world.installations[installation_id]


def _hook(call: ApiCall) -> dict[str, str | None]:
    url = call.world.the_app.webhook_url
    return {
        "content_type": "json",
        "insecure_ssl": "0",
        "secret": "********",
        **({"url": url} if url else {}),
    }
