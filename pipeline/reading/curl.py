"""Requests written as command lines of curl: what API pages offer to copy, and what people paste when a request fails."""

import re
from collections.abc import Iterator

from pipeline.domain.issue import CitationKind
from pipeline.reading.code_names import LOCAL_URL, METHODS, plain_path
from pipeline.reading.match import Match

# A command looks like `curl -X 'POST' 'http://192.168.1.7:8000/api/orders' -d '{"item": 3}'`, mostly with a line for each option.
# A backslash at the end of a line goes on with the command. The data may have lines of its own, which are not read: its
# option is on the last line that is. curl sends POST where there is data and no method, and GET where there is neither.
_COMMAND = re.compile(r"\bcurl(?:\.exe)?[ \t](?:[^\n\\]|\\\r?\n|\\.){1,2000}")
_METHOD = re.compile(rf"[ \t](?:-X|--request)[ \t=]*[\"']?(?P<method>{'|'.join(sorted(METHODS))})\b")
_DATA = re.compile(r"[ \t](?:-d|-F|--json|--form|--data(?:-[a-z]+)?)\b")
_ADDRESS = re.compile(r"https?://[^\s/`'\"]+(?P<path>/[^\s`'\",;)]*)")


def find_curl_requests(text: str) -> Iterator[Match]:
    """The routes that the requests of a text are sent to, in its order.

    Without a method and data only an address of a local machine counts: all else is mostly a download.
    """
    for command in _COMMAND.finditer(text):
        address = _ADDRESS.search(text, command.start(), command.end())
        if address is None:
            continue
        method = _METHOD.search(text, command.start(), command.end())
        has_data = _DATA.search(text, command.start(), command.end()) is not None
        if method is None and not has_data and LOCAL_URL.match(address.group()) is None:
            continue
        path, start = plain_path(address["path"]), address.start("path")
        if len(path) > 1:
            verb = method["method"] if method is not None else "POST" if has_data else "GET"
            yield Match(CitationKind.ROUTE, path, start, start + len(path), method=verb)
