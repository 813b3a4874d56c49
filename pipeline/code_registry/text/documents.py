"""One text file as a document: how often each term stands in the names it defines, its literals, its comments, all of it.

The fields are told by the shape of lines and by the style of comments, so that an unknown language has them too.
Everything works on bytes: words are cut by one translation table and `split`, which is three times as fast as a regular
expression, and only a word that was never met before is decoded.
"""

import re
from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from pipeline.domain.terms import TermTable

FIELDS = ("names", "strings", "comments", "body")
"""The fields of a document, in the order of its counts. `body` is the whole text."""
_BITS = 8
_MOST_IN_FIELD = 31
"""What one spelling of a term adds to a field at most: several spellings of one term together stay below 256."""
_MOST_PACKED = 0xFFFF_FFFF
_SHARES = tuple(
    tuple(count << _BITS * field for count in range(_MOST_IN_FIELD + 1)) for field in range(len(FIELDS))
)
"""By field and count: what a spelling that often adds to the packed counts of its terms."""


class Style(StrEnum):
    """How a file writes comments and literals."""

    HASH = "hash"
    SLASH = "slash"
    DASH = "dash"
    MARKUP = "markup"
    PROSE = "prose"
    DATA = "data"


_STYLES: dict[Style, str] = {
    Style.HASH: "py pyi rb rake gemspec sh bash zsh fish pl pm r jl ex exs tf hcl nix cmake mk cr nim coffee ps1 tcl awk",
    Style.SLASH: "js jsx mjs cjs ts tsx mts cts go java kt kts scala groovy gradle c h cc cpp cxx hpp hh cs fs fsx rs"
    " swift m mm php dart zig v sol proto thrift graphql gql css scss sass less styl glsl vala d ml mli re",
    Style.DASH: "sql lua hs elm ada adb ads vhd vhdl",
    Style.MARKUP: "html htm xhtml xml svg vue svelte astro erb haml slim hbs handlebars mustache ejs njk jinja jinja2 j2"
    " twig liquid tmpl gohtml tpl cshtml razor axaml xaml jsp templ mjml pug",
    Style.PROSE: "md mdx rst adoc txt markdown org tex pod",
    Style.DATA: "json json5 jsonc yml yaml toml ini cfg conf properties po pot xliff strings resx ftl env lock",
}
_STYLE_OF = {ending: style for style, endings in _STYLES.items() for ending in endings.split()}
_PROSE_NAMES = frozenset(
    {"readme", "changelog", "license", "authors", "contributing", "news", "changes", "todo"}
)

_WORD_BYTES = bytes(
    byte if chr(byte).isalnum() or byte == ord("_") or byte >= 0x80 else ord(" ") for byte in range(256)
)
_MODIFIERS = (
    rb"pub(?:\([a-z]+\))?|public|private|protected|internal|static|async|override|virtual|final|abstract|sealed|readonly"
    rb"|export|default|get|set|declare|unsafe|extern|partial|open|data|inline|suspend|const|native|synchronized"
)
# Patterns of lines begin with the line feed before the line, not with `^`: the engine jumps from one to the next. They never give
# indentation back, for they would fail again at each blank of it.
# `def name`, `func (r *T) Name`, `export default class Name`, `CREATE TABLE name`: the words of many languages, one pattern.
_DEFINITION = re.compile(
    rb"\n[ \t]*+(?:(?:" + _MODIFIERS + rb")[ \t]+)*"
    rb"(?:def|class|func|function\*?|fn|interface|type|struct|enum|trait|module|mod|namespace|record|protocol|extension"
    rb"|object|fun|defmodule|defp|defmacro|macro_rules!|const|let|var|val|typedef|union|(?:CREATE|ALTER)[A-Z ]+?"
    rb"|attr_\w+|scope|has_many|has_one|belongs_to|task|message|service|rpc)[ \t]+(?:\([^()\n]*\)[ \t]*)?"
    rb"[:'\"`]?(?:self\.)?([A-Za-z_$][\w$.]*)"
)
# The same for languages whose lines have no words before those: one test of a character turns most lines away.
_DEFINED_PLAINLY = re.compile(
    rb"\n[ \t]*+(?=[acdfhlmst])(?:async[ \t]+|local[ \t]+)?"
    rb"(?:def|class|module|function|func|defmodule|defp|defmacro|macro|type|attr_\w+|scope|has_many|has_one|task|struct)[ \t]+"
    rb"[:'\"]?(?:self\.)?([A-Za-z_]\w*)"
)
# `public async Task<int> Name(`: a member after its modifiers and type.
_MEMBER = re.compile(
    rb"\n[ \t]*+(?:(?:"
    + _MODIFIERS
    + rb")[ \t]+)+(?:[\w<>\[\],.?]+[ \t]+){0,2}([A-Za-z_$][\w$]*)[ \t]*[({=;:<]"
)
# In JavaScript a method, `name(a, b) {`, and a property, `name: (a) =>`, each on a line.
_METHOD = re.compile(
    rb"\n[ \t]++(?:[\w<>\[\],.?]+[ \t]+|\*|#){0,3}([A-Za-z_$][\w$]*)(?:\([^()\n]*\)[^(){}\n]*\{|:[ \t]*(?:async[ \t]*)?(?:function|\())"
)
_NO_METHODS = frozenset({b"if", b"for", b"while", b"switch", b"catch", b"with", b"return", b"function"})
_ASSIGNMENT = re.compile(rb"\n([A-Za-z_]\w{2,})[ \t]*(?::[^=\n]{1,60})?(?:=|:=)(?!=)")
_KEYS = re.compile(rb"^[ \t-]*[\"']?([A-Za-z_$][\w.$-]{1,60})[\"']?[ \t]*[:=]", re.MULTILINE)
_HEADINGS = re.compile(rb"^#{1,4} +(.{1,120})$|^(.{3,100})\n[=\-~^]{3,}$", re.MULTILINE)
_MARKUP_NAMES = re.compile(rb"\b(?:id|name|v-model|ref)=[\"']([\w.-]{2,60})[\"']")

# Comments and literals in one pass, so that neither is found inside the other: groups of comments, then three of literals. Every
# branch begins with a plain character, outside its group: only so the engine skips to the next quote or comment.
_LITERALS = (
    rb"|\"([^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+)\"|'([^'\\\n]*+(?:\\.[^'\\\n]*+)*+)'|`([^`\\]*+(?:\\.[^`\\]*+)*+)`"
)
_BLOCK = rb"/\*([\s\S]*?)\*/"
_SCAN = {
    Style.HASH: re.compile(rb"\"\"\"([\s\S]*?)\"\"\"|'''([\s\S]*?)'''|#([^\n]*+)" + _LITERALS),
    Style.SLASH: re.compile(_BLOCK + rb"|//([^\n]*+)" + _LITERALS),
    Style.DASH: re.compile(_BLOCK + rb"|--([^\n]*+)" + _LITERALS),
    Style.MARKUP: re.compile(rb"<!--([\s\S]*?)-->|" + _BLOCK + rb"|//([^\n]*+)" + _LITERALS),
}
_MARKUP_TEXT = re.compile(rb">([^<>{}]{2,300})<")

_IMPORT = re.compile(
    rb"\n[ \t]*+(?=[filmpsu])(?:pub[ \t]+)?(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+([\w, \t]*)"
    rb"|(?:import|use|using|mod|include|load|source)[ \t(]+(?:static[ \t]+|type[ \t]+)?([\w.:\\]+))"
)
_PATH_LIKE = re.compile(rb"[\w@.~$-]*+/[\w./@~$-]{1,100}|\.{1,2}|[\w-]++(?:[.:]{1,2}[\w-]++)++")
_MOST_IMPORTS = 120


class TextDocument(NamedTuple):
    """A file as the index holds it.

    Attributes:
        counts: for each term how often it stands in each of `FIELDS`, eight bits each, the first field lowest.
        lengths: how many words each field has.
        imports: what the file imports or names as a path, as it writes it (`./items`, `app.items`,
            `github.com/octocat/orders/items`).
    """

    counts: dict[str, int]
    lengths: tuple[int, int, int, int]
    imports: tuple[str, ...]


class _Pieces(NamedTuple):
    names: list[bytes]
    literals: list[bytes]
    comments: list[bytes]


def style_of(path: str) -> Style:
    """How the file at a path writes comments and literals, told by its name."""
    name = path.rsplit("/", 1)[-1].lower()
    if "." not in name[1:]:
        return Style.PROSE if name in _PROSE_NAMES else Style.HASH
    return _STYLE_OF.get(name.rsplit(".", 1)[-1], Style.HASH)


def read_document(data: bytes, style: Style, table: TermTable) -> TextDocument:
    """The terms of a text by field."""
    data = b"\n" + data  # the patterns of lines begin with the line feed before the line
    pieces = _pieces(data, style)
    counts: dict[str, int] = {}
    lengths = []
    for shares, texts in zip(_SHARES, (pieces.names, pieces.literals, pieces.comments, [data]), strict=True):
        words = _words(texts)
        lengths.append(len(words))
        for word, count in Counter(words).items():
            share = shares[count] if count < _MOST_IN_FIELD else shares[-1]
            for term in table[word]:
                counts[term] = counts.get(term, 0) + share
    if counts and max(counts.values()) > _MOST_PACKED:
        for term, packed_count in counts.items():
            if packed_count > _MOST_PACKED:
                counts[term] = packed_count & 0xFF_FFFF | 0xFF00_0000
    imports = () if style in {Style.PROSE, Style.DATA} else _imports(data, pieces.literals)
    return TextDocument(counts, (lengths[0], lengths[1], lengths[2], lengths[3]), imports)


def _words(texts: Iterable[bytes]) -> list[bytes]:
    return b"\n".join(texts).translate(_WORD_BYTES).split()


def _pieces(data: bytes, style: Style) -> _Pieces:
    """The names that a text defines, its literals and its comments."""
    if style is Style.PROSE:
        return _Pieces([b" ".join(match) for match in _HEADINGS.findall(data)], [], [data])
    if style is Style.DATA:
        return _Pieces(_KEYS.findall(data), [data], [])
    if style is Style.HASH:
        names = _DEFINED_PLAINLY.findall(data)
    else:
        names = _DEFINITION.findall(data)
        names += _MEMBER.findall(data)
        names += [name for name in _METHOD.findall(data) if name not in _NO_METHODS]
    names += _ASSIGNMENT.findall(data)
    matches = _SCAN[style].findall(data)
    comments = [b"".join(match[:-3]) for match in matches]
    literals = [b"".join(match[-3:]) for match in matches]
    if style is Style.MARKUP:
        names += _MARKUP_NAMES.findall(data)
    if style is Style.MARKUP or b"</" in data:
        literals += _MARKUP_TEXT.findall(data)
    return _Pieces(names, literals, comments)


def _imports(data: bytes, literals: Iterable[bytes]) -> tuple[str, ...]:
    targets: dict[bytes, None] = {}
    for module, members, used_module in _IMPORT.findall(data):
        targets[module or used_module] = None
        # `from app import items` may import the module `app/items.py`.
        targets.update(
            (module + b"." + member.strip(), None) for member in members.split(b",") if member.strip()
        )
    targets |= dict.fromkeys(filter(_PATH_LIKE.fullmatch, literals))
    return tuple(target.decode("utf-8", "replace") for target in list(targets)[:_MOST_IMPORTS])
