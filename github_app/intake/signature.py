"""Tell whether a request was signed with a secret: its HMAC, over the bytes as they came."""

import hashlib
import hmac

HEADER = "X-Hub-Signature-256"
"""GitHub's header that counts. It still sends `X-Hub-Signature` (SHA-1) as well, which proves nothing here."""


def is_genuine(secret: str, body: bytes, header: str | None) -> bool:
    """Whether `header` is the HMAC-SHA256 of exactly these bytes under our webhook secret.

    The body must be checked before anything parses it. A missing header, another algorithm and a header that is not
    ASCII are simply not genuine. Source: docs.github.com, "Validating webhook deliveries".
    """
    return has_signature(secret, header or "", body, "sha256=")


def has_signature(secret: str, signature: str, content: bytes, scheme: str = "") -> bool:
    """Whether exactly these bytes are signed with a secret: an HMAC-SHA256, hexadecimal, behind the name of its scheme.

    The comparison takes the same time wherever the first difference is.
    """
    mac = hmac.new(secret.encode(), content, hashlib.sha256).hexdigest()
    return hmac.compare_digest(f"{scheme}{mac}".encode(), signature.encode("utf-8", "replace"))
