"""Reads the two arguments of a tool call that can do harm, a path and a command, as strictly as the gate needs.

Both are read by what is allowed to stand in them. Anything else is refused with the reason, never cleaned up and
never guessed at.
"""

import re
import shlex
import unicodedata

MAX_LENGTH = 4096

_COMMAND_CHARACTER = re.compile(r"""[A-Za-z0-9 _./:,+@='"-]""")
"""Everything else means something to some shell, or looks like something else."""

_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")

_LOOK_ALIKE_SCRIPTS = ("CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU", "MATHEMATICAL")
_LOOK_ALIKE_LATIN = frozenset("ıɩɡɑȷʟʀɴʏ")
_LOOK_ALIKE_SLASHES = frozenset("\u2044\u2215\u2571\u27cb\u29f8")


class NotPlain(ValueError):
    """An argument is not plain enough to be decided on; the message says why."""


def plain_path(value: object) -> str:
    """A path inside the tree, relative to its root, with `/` between its parts and no `.` among them.

    Whether a link on the way leads elsewhere only the disk knows: ask the workspace, and decide on that path too.

    Raises:
        NotPlain: it is no text, leaves the tree, goes into `.git`, or is written to look like another path.
    """
    if not isinstance(value, str) or not value:
        raise NotPlain("the path is not a text")
    if len(value) > MAX_LENGTH:
        raise NotPlain(f"the path is longer than {MAX_LENGTH} characters")
    _refuse_disguise(value)
    if value.startswith(("/", "~")) or "\\" in value or ":" in value:
        raise NotPlain("the path is absolute, or not written with `/` between its parts")
    parts = [part for part in value.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise NotPlain("the path leaves the tree")
    for part in parts:
        if part.endswith((" ", ".")) or re.search(r"~\d", part):
            raise NotPlain(f"some systems read {part!r} as another name")
        if part.casefold() == ".git":
            raise NotPlain("`.git` is not part of the tree")
    if not parts:
        raise NotPlain("the path names no file")
    return "/".join(parts)


def plain_command(value: object) -> tuple[str, ...]:
    """The words of a command, as a shell would split them: one program and its arguments, with nothing left to expand.

    Raises:
        NotPlain: a shell would do more with it than start one program.
    """
    if not isinstance(value, str) or not value.strip():
        raise NotPlain("the command is not a text")
    if len(value) > MAX_LENGTH:
        raise NotPlain(f"the command is longer than {MAX_LENGTH} characters")
    odd = next((character for character in value if not _COMMAND_CHARACTER.fullmatch(character)), None)
    if odd is not None:
        raise NotPlain(
            f"the command holds {_character_name(odd)}, and only a plain command can be decided on"
        )
    try:
        lexer = shlex.shlex(value, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        lexer.commenters = ""
        words = tuple(lexer)
    except ValueError as error:
        raise NotPlain("a quotation mark is not closed") from error
    if _ASSIGNMENT.match(words[0]):
        raise NotPlain(f"`{words[0].split('=')[0]}=` sets a variable of the environment")
    return words


def _refuse_disguise(path: str) -> None:
    """Refuse invisible characters, other spellings of the same name, and words of two alphabets."""
    for character in path:
        category = unicodedata.category(character)
        if (category[0] in "CZ" and character != " ") or character in _LOOK_ALIKE_SLASHES:
            raise NotPlain(f"the path holds {_character_name(character)}")
    if unicodedata.normalize("NFKC", path) != path:
        raise NotPlain("the path has another spelling that looks the same")
    for word in re.findall(r"[^\W\d_]+", path):
        if any("a" <= letter.lower() <= "z" for letter in word):
            alike = next((letter for letter in word if _looks_like_another(letter)), None)
            if alike is not None:
                raise NotPlain(f"the path holds {_character_name(alike)} among Latin letters")


def _looks_like_another(letter: str) -> bool:
    if letter.isascii():
        return False
    return letter in _LOOK_ALIKE_LATIN or unicodedata.name(letter, "").startswith(_LOOK_ALIKE_SCRIPTS)


def _character_name(character: str) -> str:
    """A character as anybody can tell it: itself if it is printable ASCII, and its number."""
    number = f"U+{ord(character):04X}"
    if character == "\n":
        return f"a line break ({number})"
    if character.isascii() and character.isprintable():
        return f"`{character}`"
    return f"{number} {unicodedata.name(character, 'without a name')}"
