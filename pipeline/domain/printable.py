"""Escape control characters in untrusted text before printing."""


def printable(text: str) -> str:
    """The text with an escape for every character that is neither printable nor a line break."""
    return "".join(sign if sign.isprintable() or sign == "\n" else repr(sign)[1:-1] for sign in text)


def printable_line(text: str) -> str:
    """The same on one line, with a blank between any two words."""
    return printable(" ".join(text.split()))
