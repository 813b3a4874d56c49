"""The Git data API: refs, commits, trees, blobs. The way a change becomes one commit."""

import base64
import binascii
from datetime import datetime

from sandbox.access import READ_CONTENTS, WRITE_CONTENTS
from sandbox.documents.of_code import git_commit_document, ref_document, tree_document
from sandbox.rest.routes import REPOSITORY, ApiAnswer, ApiCall, Page, Routes
from sandbox.world.git_repository import NoSuchObject, NotAFastForward, Signature, TreeEntry
from sandbox.world.refusals import Forbidden, Invalid, NotFound
from sandbox.world.state import TokenKind

routes = Routes()

GIT = f"{REPOSITORY}/git"
_WORKFLOWS = ".github/workflows/"
_MODES = ("100644", "100755", "040000", "160000", "120000")


@routes("GET", f"{GIT}/ref/<path:ref>", READ_CONTENTS)
def get_ref(call: ApiCall, ref: str) -> ApiAnswer:
    """One ref, named `heads/<branch>` or `tags/<tag>`."""
    full = f"refs/{ref}"
    sha = call.repository.git.refs(full).get(full)
    if sha is None:
        raise NotFound
    return ApiAnswer(document=ref_document(call.documents, call.repository, full, sha))


@routes("GET", f"{GIT}/matching-refs/<path:ref>", READ_CONTENTS)
def list_matching_refs(call: ApiCall, ref: str) -> Page:
    """All refs that begin so."""
    refs = call.repository.git.refs()
    matches = {name: sha for name, sha in refs.items() if name.startswith(f"refs/{ref}")}
    return Page([ref_document(call.documents, call.repository, name, sha) for name, sha in matches.items()])


@routes("POST", f"{GIT}/refs", WRITE_CONTENTS)
def create_ref(call: ApiCall) -> ApiAnswer:
    """Make a branch or tag."""
    ref, sha = call.required_text("ref"), _object(call, call.required_text("sha"))
    if not ref.startswith("refs/") or ref.count("/") < 2:
        raise Invalid("Reference name must start with 'refs/' and have at least two slashes.")
    if ref in call.repository.git.refs():
        raise Invalid("Reference already exists")
    call.services.pushes.set_ref(call.repository, call.actor, ref, sha, force=True)
    return ApiAnswer(201, ref_document(call.documents, call.repository, ref, sha))


@routes("PATCH", f"{GIT}/refs/<path:ref>", WRITE_CONTENTS)
def update_ref(call: ApiCall, ref: str) -> ApiAnswer:
    """Move a ref, forward only unless `force`."""
    full, sha = f"refs/{ref}", _object(call, call.required_text("sha"))
    try:
        call.services.pushes.set_ref(
            call.repository, call.actor, full, sha, force=call.body.get("force") is True, must_exist=True
        )
    except NoSuchObject as error:
        raise Invalid("Reference does not exist") from error
    except NotAFastForward as error:
        raise Invalid("Update is not a fast forward") from error
    return ApiAnswer(document=ref_document(call.documents, call.repository, full, sha))


@routes("GET", f"{GIT}/commits/<commit_sha>", READ_CONTENTS)
def get_commit(call: ApiCall, commit_sha: str) -> ApiAnswer:
    """One commit."""
    try:
        commit = call.repository.git.commit(commit_sha)
    except NoSuchObject as error:
        raise NotFound from error
    return ApiAnswer(document=git_commit_document(call.documents, call.repository, commit))


@routes("POST", f"{GIT}/commits", WRITE_CONTENTS)
def create_commit(call: ApiCall) -> ApiAnswer:
    """Make a commit. Without an author it is the caller's, and signed by GitHub if the caller is an App."""
    tree = _object(call, call.required_text("tree"))
    parents = tuple(_object(call, str(parent)) for parent in call.body.get("parents", []))
    author_fields = call.body.get("author") or {}
    account = call.token.account
    now = call.world.clock.now()
    author = Signature(
        author_fields.get("name", account.login),
        author_fields.get("email", f"{account.id}+{account.login}@users.noreply.github.com"),
        datetime.fromisoformat(author_fields["date"]) if "date" in author_fields else now,
    )
    sha = call.repository.git.create_commit(call.required_text("message"), tree, parents, author)
    commit = call.repository.git.commit(sha)
    document = git_commit_document(call.documents, call.repository, commit)
    return ApiAnswer(201, document)


@routes("GET", f"{GIT}/trees/<path:tree_sha>", READ_CONTENTS)
def get_tree(call: ApiCall, tree_sha: str) -> ApiAnswer:
    """A tree, with everything below it if `recursive` is given at all."""
    try:
        sha, entries = call.repository.git.tree(tree_sha, recursive="recursive" in call.query)
    except NoSuchObject as error:
        raise NotFound from error
    return ApiAnswer(document=tree_document(call.documents, call.repository, sha, entries))


@routes("POST", f"{GIT}/trees", WRITE_CONTENTS)
def create_tree(call: ApiCall) -> ApiAnswer:
    """Make a tree over `base_tree`. Workflow files need a permission of their own."""
    entries = [_entry(call, item) for item in call.body.get("tree", [])]
    if call.token.kind is not TokenKind.USER and call.token.permissions.get("workflows") != "write":
        for entry in entries:
            if entry.path.startswith(_WORKFLOWS):
                raise Forbidden("Resource not accessible by integration", "contents=write,workflows=write")
    base = call.text("base_tree")
    try:
        sha = call.repository.git.create_tree(entries, base)
        sha, tree_entries = call.repository.git.tree(sha)
    except NoSuchObject as error:
        raise Invalid(f"Tree could not be made: {error}") from error
    return ApiAnswer(201, tree_document(call.documents, call.repository, sha, tree_entries))


@routes("POST", f"{GIT}/blobs", WRITE_CONTENTS)
def create_blob(call: ApiCall) -> ApiAnswer:
    """Store a file."""
    content = call.required_text("content")
    try:
        data = base64.b64decode(content) if call.text("encoding") == "base64" else content.encode()
    except binascii.Error as error:
        raise Invalid("content is not valid Base64") from error
    sha = call.repository.git.create_blob(data)
    return ApiAnswer(201, {"sha": sha, "url": f"{call.documents.at.api_of(call.repository)}/git/blobs/{sha}"})


def _object(call: ApiCall, sha: str) -> str:
    try:
        call.repository.git.type_of(sha)
    except NoSuchObject as error:
        raise Invalid("Object does not exist") from error
    return sha


def _entry(call: ApiCall, item: dict[str, str | None]) -> TreeEntry:
    path, mode = str(item.get("path", "")), str(item.get("mode", "100644"))
    if mode not in _MODES:
        raise Invalid("Must supply a valid tree.mode")
    if not path or path.startswith("/") or ".." in path.split("/"):
        raise Invalid("tree.path contains a malformed path component")
    sha = item.get("sha")
    content = item.get("content")
    if content is not None:
        sha = call.repository.git.create_blob(content.encode())
    elif sha is not None:
        _object(call, sha)
    return TreeEntry(path, mode, str(item.get("type", "blob")), sha)
