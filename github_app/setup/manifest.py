"""`askfirst-app setup`: register the App from a manifest, in one click on a page of this machine.

The page posts the manifest to GitHub, which asks for a name and sends the browser back here with a code. The code is
worth the App's credentials, once and for an hour. A state that only this process knows proves that the browser which
comes back is the one that was sent.
"""

import html
import json
import os
import secrets
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import urllib3

from github_app.settings import API_VERSION, CannotStart, GitHubAddress
from github_app.setup.needs import EVENTS, PERMISSIONS, WEBHOOK_PATH

_TIMEOUT_SECONDS = 30
_CREATED_STATUS = 201
_CREDENTIALS = ("id", "client_id", "pem", "webhook_secret")


class NotRegistered(CannotStart):
    """GitHub gave no credentials."""


def manifest(public_url: str, redirect_url: str) -> dict[str, Any]:
    """What GitHub is asked to register. `public_url` is where it reaches the App."""
    return {
        "name": "askfirst",
        "url": public_url,
        "hook_attributes": {"url": public_url.rstrip("/") + WEBHOOK_PATH, "active": True},
        "redirect_url": redirect_url,
        "description": "Label an issue: get a pull request, or one sharp question before any code is written.",
        "public": False,
        "default_events": list(EVENTS),
        "default_permissions": dict(PERMISSIONS),
    }


def environment_file(credentials: Mapping[str, Any], address: GitHubAddress) -> str:
    """The settings of the App, as lines of an environment file; every value on one line."""
    key = str(credentials["pem"]).strip().replace("\n", "\\n")
    lines = [
        f"ASKFIRST_APP_ID={credentials['id']}",
        f"ASKFIRST_CLIENT_ID={credentials['client_id']}",
        f'ASKFIRST_PRIVATE_KEY="{key}"',
        f"ASKFIRST_WEBHOOK_SECRET={credentials['webhook_secret']}",
        f"ASKFIRST_MARKER_KEY={secrets.token_hex(32)}",
    ]
    if address.server_url != "https://github.com":
        lines.append(f"GITHUB_API_URL={address.api_url}")
    return "\n".join(lines) + "\n"


def write_secretly(path: Path, text: str) -> None:
    """Write a file that only its owner can read, from its first byte on; one that exists is not written over.

    Raises:
        NotRegistered: the file exists or cannot be written. The text is lost then, and the App can be set up again.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise NotRegistered(
            f"{path} cannot be written: {error.strerror}. Name another: --output FILE"
        ) from error
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(text)


class Registration:
    """One registration: a page on 127.0.0.1, a state, and in the end the credentials."""

    def __init__(self, address: GitHubAddress, public_url: str, organization: str | None) -> None:
        self._address = address
        self._state = secrets.token_urlsafe(32)
        self._done = threading.Event()
        self._outcome: Mapping[str, Any] | NotRegistered | None = None
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _pages(self._page, self._came_back))
        self.page_url = f"http://127.0.0.1:{self._server.server_address[1]}/"
        owner = f"organizations/{organization}/settings" if organization else "settings"
        self._form_url = f"{address.server_url}/{owner}/apps/new?state={self._state}"
        self._manifest = json.dumps(manifest(public_url, f"{self.page_url}registered"))
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def credentials(self, seconds: float) -> Mapping[str, Any]:
        """Wait for the browser to come back.

        Raises:
            NotRegistered: it did not, or GitHub took no code.
        """
        came = self._done.wait(seconds)
        self._server.shutdown()
        self._server.server_close()
        if not came or self._outcome is None:
            raise NotRegistered(f"Nobody came back from GitHub within {seconds:.0f} s. Run it again.")
        if isinstance(self._outcome, NotRegistered):
            raise self._outcome
        return self._outcome

    def _page(self) -> str:
        """The one click."""
        return (
            "<!doctype html><meta charset=utf-8><title>Register askfirst</title>"
            "<p>GitHub will ask for a name, and send you back here.</p>"
            f'<form method=post action="{html.escape(self._form_url)}">'
            f'<input type=hidden name=manifest value="{html.escape(self._manifest)}">'
            "<button>Register the App on GitHub</button></form>"
        )

    def _came_back(self, query: Mapping[str, list[str]]) -> tuple[int, str]:
        """Take the code, if the state is ours. A wrong state changes nothing: the right browser may still come."""
        state, code = query.get("state", [""])[0], query.get("code", [""])[0]
        if not secrets.compare_digest(state.encode(), self._state.encode()):
            return 400, "This is not the registration that was begun here."
        if not code.isalnum():
            return 400, "GitHub sent no code."
        if self._done.is_set():
            return 400, "This registration is over."
        try:
            self._outcome = self._credentials_of_code(code)
        except NotRegistered as problem:
            self._outcome = problem
        self._done.set()
        return 200, "Go back to your terminal."

    def _credentials_of_code(self, code: str) -> Mapping[str, Any]:
        headers = {
            "Accept": "application/vnd.github+json",
            "User-Agent": "askfirst",
            "X-GitHub-Api-Version": API_VERSION,
        }
        url = f"{self._address.api_url}/app-manifests/{code}/conversions"
        try:
            answer = urllib3.request(
                "POST", url, headers=headers, timeout=_TIMEOUT_SECONDS, retries=False, redirect=False
            )
            credentials = answer.json() if answer.status == _CREATED_STATUS else {}
        except (urllib3.exceptions.HTTPError, ValueError) as error:
            raise NotRegistered(
                f"GitHub gave no credentials: {type(error).__name__}. Run it again."
            ) from error
        if answer.status != _CREATED_STATUS:
            raise NotRegistered(
                f"GitHub answered the code with {answer.status}. Run it again within the hour."
            )
        missing = [name for name in _CREDENTIALS if not credentials.get(name)]
        if missing:
            raise NotRegistered(f"GitHub gave no {', '.join(missing)}.")
        return dict(credentials)


def _pages(
    page: Callable[[], str], came_back: Callable[[Mapping[str, list[str]]], tuple[int, str]]
) -> type[BaseHTTPRequestHandler]:
    class Pages(BaseHTTPRequestHandler):
        """Two pages: the click, and where GitHub sends the browser back to."""

        def do_GET(self) -> None:
            """Answer."""
            parts = urlsplit(self.path)
            match parts.path:
                case "/":
                    self._answer(200, page())
                case "/registered":
                    status, text = came_back(parse_qs(parts.query))
                    self._answer(status, f"<!doctype html><meta charset=utf-8><p>{html.escape(text)}</p>")
                case _:
                    self._answer(404, "Not found")

        def _answer(self, status: int, text: str) -> None:
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """The address holds the code: nothing of it is logged."""

    return Pages
