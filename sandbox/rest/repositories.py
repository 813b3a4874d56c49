"""Repositories, their branches, commits and contents."""

from dataclasses import replace

from sandbox.access import METADATA, READ_CONTENTS
from sandbox.documents.of_code import change_document, commit_document, content_document
from sandbox.rest.routes import REPOSITORY, ApiAnswer, ApiCall, Page, Routes
from sandbox.world.git_repository import NoSuchObject
from sandbox.world.refusals import NotFound

routes = Routes()


@routes("GET", REPOSITORY, METADATA)
def get_repository(call: ApiCall) -> ApiAnswer:
    """The repository."""
    return ApiAnswer(document=call.documents.full_repository(call.repository))


@routes("GET", f"{REPOSITORY}/branches/<path:branch>", READ_CONTENTS)
def get_branch(call: ApiCall, branch: str) -> ApiAnswer:
    """A branch with its newest commit."""
    api, html = call.documents.at.api_of(call.repository), call.documents.at.html_of(call.repository)
    try:
        commit = call.repository.git.commit(f"refs/heads/{branch}")
    except NoSuchObject as error:
        raise NotFound from error
    protection = f"{api}/branches/{branch}/protection"
    return ApiAnswer(
        document={
            "name": branch,
            "commit": commit_document(call.documents, call.repository, commit),
            "_links": {"self": f"{api}/branches/{branch}", "html": f"{html}/tree/{branch}"},
            "protected": False,
            "protection": {"enabled": False},
            "protection_url": protection,
        }
    )


@routes("GET", f"{REPOSITORY}/rules/branches/<path:branch>", METADATA)
def get_branch_rules(call: ApiCall, branch: str) -> Page:
    """The rules of a branch: the sandbox has none."""
    if f"refs/heads/{branch}" not in call.repository.git.refs("refs/heads/"):
        raise NotFound
    return Page([])


@routes("GET", f"{REPOSITORY}/commits/<path:ref>", READ_CONTENTS)
def get_commit(call: ApiCall, ref: str) -> ApiAnswer:
    """A commit by branch, tag or id."""
    try:
        commit = call.repository.git.commit(ref)
    except NoSuchObject as error:
        raise NotFound from error
    return ApiAnswer(document=commit_document(call.documents, call.repository, commit))


@routes("GET", f"{REPOSITORY}/compare/<path:basehead>", READ_CONTENTS)
def compare(call: ApiCall, basehead: str) -> ApiAnswer:
    """What a head has that a base has not, written `base...head`."""
    git, documents, repository = call.repository.git, call.documents, call.repository
    base_name, _, head_name = basehead.partition("...")
    try:
        base, head = git.resolve(base_name), git.resolve(head_name)
        merge_base = git.merge_base(base, head)
    except NoSuchObject as error:
        raise NotFound from error
    ahead, behind = git.commits_between(base, head), git.commits_between(head, base)
    status = {
        (True, True): "diverged",
        (True, False): "ahead",
        (False, True): "behind",
        (False, False): "identical",
    }
    api, html = documents.at.api_of(repository), documents.at.html_of(repository)
    return ApiAnswer(
        document={
            "url": f"{api}/compare/{basehead}",
            "html_url": f"{html}/compare/{basehead}",
            "permalink_url": f"{html}/compare/{base}...{head}",
            "diff_url": f"{html}/compare/{basehead}.diff",
            "patch_url": f"{html}/compare/{basehead}.patch",
            "base_commit": commit_document(documents, repository, git.commit(base)),
            "merge_base_commit": commit_document(documents, repository, git.commit(merge_base)),
            "status": status[bool(ahead), bool(behind)],
            "ahead_by": len(ahead),
            "behind_by": len(behind),
            "total_commits": len(ahead),
            "commits": [commit_document(documents, repository, git.commit(sha)) for sha in ahead],
            "files": [change_document(documents, repository, c, head) for c in git.changes(merge_base, head)],
        }
    )


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
