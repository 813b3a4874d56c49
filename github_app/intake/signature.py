"""Tell whether a webhook delivery was sent by GitHub: its HMAC, over the bytes as they came."""

import hashlib
import hmac

HEADER = "X-Hub-Signature-256"
"""The header that counts. GitHub still sends `X-Hub-Signature` (SHA-1) as well, which proves nothing here."""

_PREFIX = "sha256="


def is_genuine(secret: str, body: bytes, header: str | None) -> bool:
    """Whether `header` is the HMAC-SHA256 of exactly these bytes under our webhook secret.

    The body must be checked before anything parses it. A missing header, another algorithm and a header that is not
    ASCII are simply not genuine. The comparison takes the same time wherever the first difference is.
    Source: docs.github.com, "Validating webhook deliveries".
    """
    if header is None or not header.startswith(_PREFIX):
        return False
    signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(signature.encode(), header.removeprefix(_PREFIX).encode("utf-8", "replace"))
