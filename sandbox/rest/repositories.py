"""Repositories, their branches, commits and contents."""

from dataclasses import replace

from sandbox.access import METADATA, READ_CONTENTS
from sandbox.documents.of_code import content_document
from sandbox.rest.routes import REPOSITORY, ApiAnswer, ApiCall, Routes
from sandbox.world.git_repository import NoSuchObject
from sandbox.world.refusals import NotFound

routes = Routes()


@routes("GET", REPOSITORY, METADATA)
def get_repository(call: ApiCall) -> ApiAnswer:
    """The repository."""
    return ApiAnswer(document=call.documents.full_repository(call.repository))


@routes("GET", f"{REPOSITORY}/contents/<path:path>", READ_CONTENTS)
def get_contents(call: ApiCall, path: str) -> ApiAnswer:
    """A file with its content, or the entries of a folder."""
    git = call.repository.git
    revision = call.query.get("ref", call.repository.default_branch)
    try:
        entry = git.entry(revision, path)
    except NoSuchObject as error:
        raise NotFound from error
    if entry.type == "tree":
        _, inside = git.tree(entry.sha or "")
        documents = [
            content_document(
                call.documents,
                call.repository,
                replace(child, path=f"{entry.path}/{child.path}"),
                revision,
                None,
            )
            for child in inside
        ]
        return ApiAnswer(document=documents)
    content = git.blob(entry.sha or "")
    return ApiAnswer(document=content_document(call.documents, call.repository, entry, revision, content))
