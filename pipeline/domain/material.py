"""Quote untrusted text in prompts."""

import hashlib

from pipeline.domain.printable import printable_line


def material(name: str, text: str) -> str:
    """Untrusted text between two lines that it cannot contain itself: they carry its own hash. A name, such as a path, is one line."""
    name = printable_line(name)
    mark = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"=== begin {name} {mark} ===\n{text.strip()}\n=== end {name} {mark} ==="
