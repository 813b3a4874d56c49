"""Text of others on a terminal: what could repaint it, or hide in it, is shown as an escape."""


def printable(text: str) -> str:
    """The text with every sign that is neither printable nor a line break written as its escape."""
    return "".join(sign if sign.isprintable() or sign == "\n" else repr(sign)[1:-1] for sign in text)


def printable_line(text: str) -> str:
    """The same on one line, with a blank between any two words."""
    return printable(" ".join(text.split()))
