"""The tickets of other trackers that an issue names: `OPS-12`, alone or in an address."""

import re

_KEY = re.compile(r"(?<![A-Za-z0-9_-])[A-Z][A-Z0-9]{1,9}-[1-9][0-9]{0,8}(?![A-Za-z0-9_-])")
_MOST = 10


def ticket_keys(title: str, body: str | None) -> tuple[str, ...]:
    """Keys that stand in the title, then those in the text, each once. `SHA-256` is among them: a surface picks its own."""
    return tuple(dict.fromkeys(_KEY.findall(f"{title}\n{body or ''}")))[:_MOST]
