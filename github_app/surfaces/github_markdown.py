"""Write a message as GitHub Markdown, so that nothing in it that is not ours can act: no markup, mention or link.

Somebody else's words reach the page in two ways only. An identifier becomes a code span. Of a sentence, each word made
of plain letters, digits and end punctuation is unchanged, what its writer put into back-ticks becomes a code span, and
so does every other word. So nothing needs to be escaped, and nothing can be forgotten. Inside code an `@` before a name becomes `＠`, because workflows of
other bots look for their name in the raw text.
"""

import re
import unicodedata
from urllib.parse import quote

from github_app.conversation.message import (
    Aside,
    Block,
    Bullets,
    Code,
    CommentLink,
    Details,
    Line,
    Message,
    Paragraph,
    Part,
    Permalink,
    Prose,
    PullRequestLink,
    RunLink,
    SourceLink,
    StartedRun,
    Strikethrough,
    Strong,
    Table,
    Text,
    TickBox,
    UserMention,
)

MAX_CHARACTERS = 52_000
"""GitHub takes 65,536 characters; the rest is for the marker and for surprises."""

_MAX_PROSE = 600
_LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,98}")
_REPOSITORY = re.compile(r"[A-Za-z0-9-]{1,39}/[\w.-]{1,100}", re.ASCII)
_RUN_ID = re.compile(r"\d{1,20}")
_PLAIN_WORD = re.compile(
    r"""["'“‘(]*(?:[^\W_]+(?:['’-][^\W_]+)*|(?:[^\W\d_]\.){2,}|\d+\.\d+|[–—…])[.,;:!?…%"'”’)]*""", re.VERBOSE
)
_ENDS_A_CLAUSE = re.compile(r"(.*[^.,;:!?])([.,;:!?]+)")
_LIST_START = re.compile(r"\d+[.)]")
_REFERENCE = re.compile(r"GH-\d+", re.IGNORECASE)
_GH_REFERENCE = re.compile(r"GH-(?=\d)", re.IGNORECASE)
_ACTING = (
    (re.compile(r"@(?=\w)"), "＠"),  # a mention
    (re.compile(r"#(?=\d)"), "＃"),  # an issue, which a verb in front closes
    (_GH_REFERENCE, "GH\u2011"),
    (re.compile(r"://"), ": //"),  # an address, which may be that of an issue
    (
        re.compile(r"\[([^\[\]]*\b(?:ci|skip|actions)\b[^\[\]]*)\]", re.IGNORECASE),
        r"(\1)",
    ),  # keeps checks from running
)
"""Characters that act in a title or a subject, and their replacements. All other text stays as typed."""
_BACKTICKS = re.compile(r"`+")
_SPAN = re.compile(r"(?<!`)`([^`\s](?:[^`]*[^`\s])?)`(?!`)")
_WORD_IN_SPAN = re.compile(r"""(["'“‘(]*)`([^`]+)`([.,;:!?…%"'”’)]*)""")
_QUOTE = re.compile(r"“([^“”`]+)”([.,;:!?]*)")
_SPACE_IN_SPAN = "\0"
"""Stands for a space between back-ticks while a sentence is cut into words; no text that is shown holds it."""
_CUT = "…"


class GitHubMarkdown:
    """The first surface. `server_url` is the base of links: github.com, an enterprise on ghe.com, or the sandbox."""

    def __init__(self, server_url: str = "https://github.com") -> None:
        self._server_url = server_url.rstrip("/")

    def render(self, message: Message) -> str:
        """The message as Markdown. Folds go first where there is too much, then the end of the text."""
        writer = _Writer(self._server_url, message)
        text = writer.blocks(message.blocks)
        if len(text) > MAX_CHARACTERS:
            plain_blocks = tuple(block for block in message.blocks if not isinstance(block, Details))
            text = writer.blocks(plain_blocks)
        if len(text) > MAX_CHARACTERS:
            text = text[:MAX_CHARACTERS].rpartition("\n\n")[0] + f"\n\n{_CUT}"
        return text

    def one_line(self, text: str, limit: int = 100) -> str:
        """Somebody else's words for a title or the subject of a commit, where no markup is read and words still act.

        There an `@name` is a mention, `#7` or `GH-7` with a verb closes an issue, an address of an issue does, too, and
        `[skip ci]` keeps checks from running: only these are changed.
        """
        line = _visible_line(text, limit)
        for acting, harmless in _ACTING:
            line = acting.sub(harmless, line)
        return line


class _Writer:
    """Writes one message; knows where its links lead."""

    def __init__(self, server_url: str, message: Message) -> None:
        repository = message.repository or ""
        self._base = f"{server_url}/{repository}" if _REPOSITORY.fullmatch(repository) else None
        self._issue = message.issue

    def blocks(self, blocks: tuple[Block, ...]) -> str:
        return "\n\n".join(self._block(block) for block in blocks)

    def _block(self, block: Block) -> str:
        match block:
            case Paragraph(lines):
                return "\n".join(self.line(line) for line in lines)
            case Permalink():
                return self._permalink(block)
            case Bullets(items):
                return "\n".join(f"- {self.line(item)}" for item in items)
            case TickBox(label, is_ticked):
                return f"- [{'x' if is_ticked else ' '}] {self.line(label)}"
            case Table():
                return self._table(block)
            case Details(summary, blocks):
                return f"<details>\n<summary>{summary}</summary>\n\n{self.blocks(blocks)}\n\n</details>"
            case Aside(parts):
                return f"<sub>{self.line(parts)}</sub>"

    def line(self, parts: Line, *, in_table: bool = False) -> str:
        text = "".join(self._part(part) for part in parts)
        return text.replace("|", "\\|") if in_table else text

    def _part(self, part: Part) -> str:
        match part:
            case Text(words):
                return words
            case Code(text, limit):
                return code(text, limit)
            case Prose(text):
                return prose(text)
            case UserMention(login):
                return f"@{login}" if _LOGIN.fullmatch(login) else code(login)
            case StartedRun():
                return ""
            case RunLink(run_id):
                return (
                    self._link(run_id, f"actions/runs/{run_id}")
                    if _RUN_ID.fullmatch(run_id)
                    else code(run_id)
                )
            case CommentLink(words, comment_id):
                return self._link(words, f"issues/{self._issue}#issuecomment-{comment_id}")
            case PullRequestLink(number):
                return self._link(f"#{number}", f"pull/{number}")
            case SourceLink(path, commit, line):
                place = _blob(path, commit) if line is None else _lines(path, commit, f"L{line}")
                return self._link(code(path if line is None else f"{path}:{line}"), place)
            case Strong(parts):
                return f"**{self.line(parts)}**"
            case Strikethrough(parts):
                return f"~~{self.line(parts)}~~"

    def _link(self, words: str, path: str) -> str:
        return f"[{words}]({self._base}/{path})" if self._base else words

    def _permalink(self, link: Permalink) -> str:
        """A permalink on its own line, where GitHub shows the code."""
        if self._base is None:
            return f"{code(link.path)} lines {link.start_line}–{link.end_line}"
        return f"{self._base}/{_lines(link.path, link.commit, f'L{link.start_line}-L{link.end_line}')}"

    def _table(self, table: Table) -> str:
        rows = [table.header, *table.rows]
        table_rows = [" | ".join(self.line(cell, in_table=True) for cell in row) for row in rows]
        table_rows.insert(1, "|".join("---" for _ in table.header))
        return "\n".join(f"| {row} |" if at != 1 else f"|{row}|" for at, row in enumerate(table_rows))


def _blob(path: str, commit: str) -> str:
    """The address of a file below its repository."""
    return f"blob/{commit}/{quote(path, safe='/._-')}"


def _lines(path: str, commit: str, lines: str) -> str:
    """The address of lines of a file; those of a Markdown file need `?plain=1`."""
    plain = "?plain=1" if path.endswith((".md", ".markdown")) else ""
    return f"{_blob(path, commit)}{plain}#{lines}"


def code(text: str, limit: int = 160) -> str:
    """A code span that holds any text: its fence is longer than every run of back-ticks inside."""
    visible = _visible_line(text, limit)
    visible = re.sub(r"@(?=\w)", "＠", visible) or "(empty)"
    longest = max((len(run) for run in _BACKTICKS.findall(visible)), default=0)
    fence = "`" * (longest + 1)
    content = f" {visible} " if visible.startswith("`") or visible.endswith("`") else visible
    return f"{fence}{content}{fence}"


def prose(text: str) -> str:
    """A sentence to be read: plain words do not change, and neighbours that are not plain share one code span."""
    parts: list[str] = []
    strange: list[str] = []
    whole = _SPAN.sub(lambda span: span[0].replace(" ", _SPACE_IN_SPAN), _visible_line(text, _MAX_PROSE))
    for word in _QUOTE.sub(_one_word, whole).split(" "):
        readable = _readable(word)
        if readable is not None:
            parts += [code(" ".join(strange))] if strange else []
            parts.append(readable)
            strange = []
            continue
        strange_word = word.replace(_SPACE_IN_SPAN, " ")
        if clause := _ENDS_A_CLAUSE.fullmatch(strange_word):
            parts.append(code(" ".join([*strange, clause.group(1)])) + clause.group(2))
            strange = []
        elif word:
            strange.append(strange_word)
    parts += [code(" ".join(strange))] if strange else []
    return " ".join(parts)


def _one_word(quote: re.Match[str]) -> str:
    """A quote that holds more than plain words, such as “POST /actions”, stays in one piece."""
    is_plain = all(map(_is_plain, quote[0].split(" ")))
    return quote[0] if is_plain else quote[0].replace(" ", _SPACE_IN_SPAN)


def _readable(word: str) -> str | None:
    """A word that can stand by itself: plain, or put into back-ticks or quotes by its writer. None for any other."""
    if _is_plain(word):
        return word
    if quotation := _QUOTE.fullmatch(word):
        return f"“{code(quotation[1].replace(_SPACE_IN_SPAN, ' '))}”{quotation[2]}"
    span = _WORD_IN_SPAN.fullmatch(word)
    return span and f"{span[1]}{code(span[2].replace(_SPACE_IN_SPAN, ' '))}{span[3]}"


def _is_plain(word: str) -> bool:
    if _LIST_START.fullmatch(word) or _REFERENCE.search(word):
        return False
    return _PLAIN_WORD.fullmatch(word) is not None


def _visible_line(text: str, limit: int) -> str:
    """One line of text in which everything is visible: characters that are invisible or reorder text are named."""
    characters = []
    for character in text[: limit * 4]:
        category = unicodedata.category(character)
        if character.isspace() or category in {"Zl", "Zp", "Zs"}:
            characters.append(" ")
        elif category in {"Cc", "Cf", "Cs", "Co", "Cn"} or unicodedata.name(character, "").startswith(
            "VARIATION SEL"
        ):
            characters.append(f"[U+{ord(character):04X}]")
        else:
            characters.append(character)
    line = " ".join("".join(characters).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + _CUT
