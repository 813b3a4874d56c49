"""What a person wrote in a comment, and nothing else: no quotes, code, folded logs, mail trailers or hidden text.

Works line by line instead of with a Markdown parser, because CommonMark counts a "2" straight after a quoted line as
part of the quote, and would lose the answer. Every step is linear in the length of the comment.
"""

import re
import unicodedata
from typing import NewType

MAX_COMMENT = 65_536
"""GitHub's own limit for a comment, in characters."""

_MAX_OWN_WORDS = 8_000
_KEYCAP = "\u20e3"
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_FENCE = re.compile(r"[ ]{0,3}(?:[-*+][ ]{1,3})?(`{3,}|~{3,})")
_FENCE_MARK = re.compile("\ue000([0-9]+)(\n|$)")
_DETAILS_TAG = re.compile(r"<(/?)(?:details|pre)\b[^<>]{0,200}>", re.IGNORECASE)
_STRIKETHROUGH = re.compile(r"~~[^~\n]{0,500}~~")
_COMMENT_START = re.compile(r"<\\?!--")
_DELETED_TEXT = re.compile(r"<(del|s|strike)\s*>[^<\n]{0,500}</\1\s*>", re.IGNORECASE)
_CODE_OR_TAG = re.compile(
    r"`[^`\n]{1,500}`|</?(b|strong|i|em|code|kbd|samp|tt|br|p|div)\s*/?>", re.IGNORECASE
)
_MARKDOWN_OF_TAG = {
    **dict.fromkeys(("b", "strong"), "**"),
    **dict.fromkeys(("i", "em"), "*"),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), "`"),
    # No command begins behind a tab: what begins a line there may be the middle of a sentence or of code.
    **dict.fromkeys(("br", "p", "div"), "\n\t"),
}
_MAIL_HEADER_START = re.compile(r"[*_]*(?:On|Am|Le|El|Il|Em|Op|Den|W dniu)\b.{0,300}\d")
_MAIL_HEADER_END = re.compile(
    r"\b(?:wrote|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|skrev|napisał)\b.{0,200}$", re.DOTALL
)
_MAIL_HEADER_OF_ANY_LANGUAGE = re.compile(
    r"""(?=[^\n]{0,300}(?<!\d)\d{4}(?!\d))(?=[^\n]{0,300}(?<!\d)\d{1,2}[:.h]\d{2}(?!\d))(?![^\n]*\n\s*(?:\n|$))
    (?=.{0,800}(?:\[bot\]\s+[<\w]|<[^<>\s]{1,100}@[^<>\s]{1,100}>)).{0,1200}:[*_]*\s*$""",
    re.DOTALL | re.VERBOSE,
)
"""A year and a time on the first line, then a sender as GitHub's mails have one, and a colon at the end."""

_TRAILER = re.compile(
    r"[*_]*(?:--\s*$|—\s*$|_{8,}\s*$|-{2,}\s*Original Message|Sent from |Get Outlook for |Von meinem .{0,40} gesendet"
    r"|Envoyé de |Enviado desde |Reply to this email directly|You are receiving this because)",
    re.IGNORECASE,
)
_FIELD_END = r"[*_]*[ ]?:[*_ ]+"
_SENDER_FIELD = re.compile(
    rf"[*_]*(?:From|Von|De|Da|Van|От|Od|Från|Fra){_FIELD_END}(?P<known>.{{0,200}}@|[\w-]+\[bot\][*_]*\s*$)?",
    re.IGNORECASE,
)
_NEXT_FIELD = re.compile(
    rf"""[*_]*(?:Sent|Date|To|Subject|Gesendet|Datum|An|Betreff|Envoyé|À|Objet|Enviado|Fecha|Para|Asunto|Inviato|Data|A|Oggetto
    |Verzonden|Aan|Onderwerp|Отправлено|Дата|Кому|Тема|Odesláno|Komu|Předmět|Skickat|Till|Ämne|Sendt|Til|Emne){_FIELD_END}""",
    re.IGNORECASE | re.VERBOSE,
)
_HEADER_LINES = 3


OwnWords = NewType("OwnWords", str)
"""What `own_words` leaves of a comment. Reading it takes this type, so that no comment is read with what it quotes."""


def own_words(comment: str, *, keeps_code: bool = False) -> OwnWords:
    """The author's own words, normalised to NFKC with plain digits, at most 8,000 characters.

    `keeps_code` leaves fenced code in its place, for a review: there it is the reviewer's suggestion. Text that reads in another order than it is shown (bidirectional controls) survives only as a single character:
    it cannot be told which number such a person saw.
    """
    text = comment[:MAX_COMMENT].replace("\r\n", "\n").replace("\r", "\n")
    has_bidi = any(character in _BIDI for character in text)
    # One character can become eighteen.
    text = unicodedata.normalize("NFKC", text)[:MAX_COMMENT]
    text = _drop_html_comments(_visible(text))
    text, fences = _without_fences(text)
    text = text if keeps_code else _FENCE_MARK.sub("", text)
    lines = _without_trailers(_STRIKETHROUGH.sub(" ", _drop_folded(text)).split("\n"))
    own_text = _as_markdown("\n".join(_without_quotes_and_indented_code(lines)))
    own_text = _FENCE_MARK.sub(lambda mark: fences[int(mark[1])] + mark[2], own_text)
    own_text = own_text.strip()[:_MAX_OWN_WORDS]
    if has_bidi and len(own_text) > 1:
        return OwnWords("(text in an order that cannot be read safely)")
    return OwnWords(own_text)


def _visible(text: str) -> str:
    """Drop format characters, variation selectors and keycap marks; write every digit as an ASCII one."""
    characters = []
    for character in text:
        category = unicodedata.category(character)
        if category == "Nd" and not character.isascii():
            characters.append(str(unicodedata.digit(character)))
        elif character == "\n" or character == "\t":
            characters.append(character)
        elif (
            category in {"Cf", "Cc", "Cs", "Co"} or character == _KEYCAP or _is_variation_selector(character)
        ):
            continue
        elif category in {"Zs", "Zl", "Zp"}:
            characters.append("\n" if category != "Zs" else " ")
        else:
            characters.append(character)
    return "".join(characters)


def _is_variation_selector(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"


def _drop_html_comments(text: str) -> str:
    """Drop `<!-- … -->`; one that never ends hides the rest, as it does on the page."""
    parts, position = [], 0
    while start := _COMMENT_START.search(text, position):
        parts.append(text[position : start.start()])
        end = text.find("-->", start.end())
        if end < 0:
            return "".join(parts)
        position = end + len("-->")
    return "".join(parts) + text[position:]


def _as_markdown(text: str) -> str:
    """Simple HTML tags as the Markdown that looks the same on GitHub; any other tag stays, and is not understood."""
    return _CODE_OR_TAG.sub(
        lambda match: _MARKDOWN_OF_TAG[match[1].lower()] if match[1] else match[0],
        _DELETED_TEXT.sub(" ", text),
    )


def _without_fences(text: str) -> tuple[str, list[str]]:
    """A text with a mark in the place of each block of fenced code, and these blocks; an unclosed one runs to the end.

    The mark is a private-use character, which no visible text holds.
    """
    remaining_lines: list[str] = []
    blocks: list[list[str]] = []
    fence = ""
    for line in text.split("\n"):
        opening = _FENCE.match(line)
        if fence:
            blocks[-1].append(line)
            closing = line.strip()
            if closing and not closing.strip(fence[0]) and len(closing) >= len(fence):
                fence = ""
        elif opening and "`" not in line[opening.end() :]:
            fence = opening.group(1)
            remaining_lines.append(f"\ue000{len(blocks)}")
            blocks.append([line])
        else:
            remaining_lines.append(line)
    return "\n".join(remaining_lines), ["\n".join(block) for block in blocks]


def _drop_folded(text: str) -> str:
    """Drop `<details>` and `<pre>` with all they hold, nested ones too; one that never ends runs to the end."""
    parts, position, depth = [], 0, 0
    for tag in _DETAILS_TAG.finditer(text):
        if not depth:
            parts.append(text[position : tag.start()])
        depth = max(0, depth - 1) if tag.group(1) else depth + 1
        position = tag.end()
    if not depth:
        parts.append(text[position:])
    return "".join(parts)


def _without_trailers(lines: list[str]) -> list[str]:
    """Cut a mail's signature and the quoted mail below it; an answer below a quoted mail stays."""
    remaining_lines: list[str] = []
    position = 0
    while position < len(lines):
        header = _mail_header_length(lines, position)
        if header:
            after = position + header
            if not (after < len(lines) and lines[after].lstrip().startswith(">")):
                break
            position = after
        elif _TRAILER.match(lines[position]) or _begins_mail(lines, position):
            break
        else:
            remaining_lines.append(lines[position])
            position += 1
    return remaining_lines


def _mail_header_length(lines: list[str], position: int) -> int:
    """How many lines a header such as "On … wrote:" takes here: mail programs break it over up to three."""
    has_known_start = _MAIL_HEADER_START.match(lines[position]) is not None
    for length in range(1, _HEADER_LINES + 1):
        header = "\n".join(line[:400] for line in lines[position : position + length])
        if (has_known_start and _MAIL_HEADER_END.search(header)) or _MAIL_HEADER_OF_ANY_LANGUAGE.match(
            header
        ):
            return length
    return 0


def _begins_mail(lines: list[str], position: int) -> bool:
    """Whether a quoted mail begins here: with a sender that can be none but a sender, or with two fields of a mail's head."""
    sender = _SENDER_FIELD.match(lines[position])
    if sender is None:
        return False
    next_line = lines[position + 1] if position + 1 < len(lines) else ""
    return sender["known"] is not None or _NEXT_FIELD.match(next_line) is not None


def _without_quotes_and_indented_code(lines: list[str]) -> list[str]:
    remaining_lines: list[str] = []
    in_code, after_blank = False, True
    for line in lines:
        if line.lstrip().startswith(">"):
            after_blank = False
            continue
        is_indented = line.startswith(("    ", "\t")) and bool(line.strip())
        in_code = is_indented and (in_code or after_blank)
        after_blank = not line.strip()
        if not in_code:
            remaining_lines.append(line)
    return remaining_lines
