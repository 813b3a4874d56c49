"""When a request has arrived whole, by its beginning."""

import pytest

from github_app.serving.web_worker import is_whole

HEAD = b"POST /webhook HTTP/1.1\r\nHost: x\r\n"


@pytest.mark.parametrize(
    ("data", "whole"),
    [
        (b"", False),
        (b"P", False),
        (HEAD, False),
        (b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", True),
        (HEAD + b"Content-Length: 5\r\n\r\nabc", False),
        (HEAD + b"Content-Length: 5\r\n\r\nabcde", True),
        (HEAD + b"content-length:5\r\n\r\nabcdef", True),
        (HEAD + b"Content-Length: 5\r\nX: y\r\n\r\nabcd", False),
        (HEAD + b"X-Other: Content-Length: 5\r\n\r\n", True),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", None),
        (HEAD + b"Content-Length: 900000\r\n\r\n" + b"x" * 65_536, None),
        (b"x" * 65_536, None),
    ],
)
def test_a_request_is_whole_when_its_headers_and_its_announced_body_are_there(
    data: bytes, whole: bool | None
) -> None:
    assert is_whole(data) is whole
