"""Texts of others, set apart from our own words before a model reads them."""

import hashlib


def material(name: str, text: str) -> str:
    """A text of others, between two lines that it cannot hold itself: they carry its own hash."""
    mark = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"=== begin {name} {mark} ===\n{text.strip()}\n=== end {name} {mark} ==="
