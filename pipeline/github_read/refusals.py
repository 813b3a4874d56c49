"""What GitHub refuses, in words for the person who set the run up."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from pipeline.domain.errors import GitHubUnreadable

ADDRESS_QUERY = re.compile(r"\?[^\s'\")]*")
"""What stands behind the `?` of a log's or an artifact's address is a key to it."""


@contextmanager
def explain_failures(subject: str) -> Iterator[None]:
    """Turn whatever PyGithub raises into words for the person who set the run up."""
    import requests
    from github import GithubException

    try:
        yield
    except GithubException as error:
        message = error.data.get("message", "") if isinstance(error.data, dict) else ""
        raise GitHubUnreadable(
            f"GitHub did not give {subject}: {error.status} {message}".rstrip(),
            why="The token may lack `issues: read` or `metadata: read`, or the thing does not exist.",
            what_to_do="Give the job `permissions: {contents: read, issues: read, actions: read}` and run again.",
        ) from error
    except requests.RequestException as error:
        raise GitHubUnreadable(
            f"GitHub did not answer when asked for {subject}.",
            why=ADDRESS_QUERY.sub("", str(error)),
            what_to_do="Run again; if it stays so, check GITHUB_API_URL and the network.",
        ) from error
