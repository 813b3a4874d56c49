"""Quote untrusted text in prompts."""

import hashlib


def material(name: str, text: str) -> str:
    """Untrusted text between two lines that it cannot contain itself: they carry its own hash."""
    mark = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"=== begin {name} {mark} ===\n{text.strip()}\n=== end {name} {mark} ==="
