"""What a comment on a pull request asks for: `/revise` or `/askfirst revise`, and the words that say what."""

import re

from github_app.conversation.reply_cleaning import clean

_COMMAND = re.compile(r"^[ ]{0,3}/(?:askfirst[ \t]+)?revise(?=[\s:,.!]|$)[:,]?", re.IGNORECASE | re.MULTILINE)


def is_revision_command(body: str) -> bool:
    """Whether a person's own words hold the command at the start of a line: not a quotation, not an example."""
    return _COMMAND.search(clean(body)) is not None


def says_what(body: str) -> bool:
    """Whether there is more than the command."""
    return any(sign.isalnum() for sign in _COMMAND.sub(" ", clean(body)))
