"""What a word looks like that is a path, a route, a command or a name of code. Patterns only; each reads in linear time."""

import re

from pipeline.domain.issue import CitationKind

METHODS = frozenset("GET POST PUT PATCH DELETE HEAD OPTIONS".split())
_EXTENSIONS = (
    "py pyi pyx ipynb ts tsx mts cts js jsx mjs cjs vue svelte astro go rs rb erb haml slim rake gemspec php phtml twig java kt"
    " kts scala groovy gradle clj cs csproj cshtml razor fs vb c h cc cpp cxx hpp hh m mm swift dart ex exs erl hs ml lua pl pm"
    " r jl sh bash zsh fish ps1 bat cmd sql graphql gql proto html htm xhtml css scss sass less styl json jsonc json5 yml yaml"
    " toml ini cfg conf env properties xml svg md mdx rst adoc txt csv tsv lock tf hcl nix po pot mo ftl strings j2 jinja jinja2"
    " tmpl tpl hbs ejs pug liquid mustache dockerfile mod sum log map wasm proj sln editorconfig snap plist"
).split()
_EXTENSION = rf"(?:{'|'.join(sorted(_EXTENSIONS, key=len, reverse=True))})"
_SEGMENT = r"[\w.@~+\-]"
_BARE_FILES = (
    r"(?:Dockerfile|Makefile|Rakefile|Gemfile|Procfile|Jenkinsfile|Vagrantfile|CODEOWNERS|LICENSE"
    r"|\.(?:gitignore|gitattributes|dockerignore|editorconfig|env|npmrc|nvmrc|babelrc|eslintrc|prettierrc|rubocop\.yml))"
)
FILE = re.compile(
    rf"""(?<![\w/.@\\-])(?P<path>
        (?:[A-Za-z]:[\\/]|\.{{1,2}}/|~/|/)?(?:{_SEGMENT}+[/\\])+{_SEGMENT}*\.(?!\d)[A-Za-z0-9_]{{1,12}}   # a/b.anything
      | (?:[A-Za-z]:[\\/]|\.{{1,2}}/|~/|/)?(?:{_SEGMENT}+[/\\])+{_BARE_FILES}
      | {_SEGMENT}+\.{_EXTENSION}
      | {_BARE_FILES}
    )(?![\w/\\]|\.\w|\((?!\d+,\d))""",
    re.VERBOSE,
)
LINE = re.compile(
    r"(?:#L(?P<l>\d{1,7})(?:-L?\d{1,7})?|:(?P<c>\d{1,7})(?::\d{1,7})?|\((?P<p>\d{1,7}),\d{1,7}\)|,? (?:on |at )?line (?P<w>\d{1,7}))(?!\w)"
)
"""Behind a path: which line of it."""

LINE_OF = re.compile(r"\b[Ll]ine (?P<line>\d{1,7}) (?:of|in) `?$")
DIRECTORY = re.compile(rf"(?:\.{{1,2}}/)?(?:{_SEGMENT}+/)+(?:{_SEGMENT}+)?")
_MACHINE_ROOTS = frozenset(
    "usr var etc tmp opt root mnt lib lib64 bin sbin dev proc srv nix sys snap".split()
)
_SYSTEM_ROOTS = _MACHINE_ROOTS | frozenset("home users private volumes run media".split())
"""Folders at the root of a machine. Software has routes of the latter names, too: `/users`."""
ROUTE = re.compile(
    r"(?<![\w.:/<\\@~#&$%)}\]*-])(?P<path>/(?:[\w\-.~%+@!$&*]|[{<:\[(](?=\w)|\.{3}|[}>\])](?=[/\s`'\",;.?!)]|$)|/(?=[\w{<:\[(*.]))+/?)(?:\?[^\s`'\"]*)?"
)
METHOD_ROUTE = re.compile(
    rf"\b(?P<method>{'|'.join(sorted(METHODS))})[ \t]+[`\"']?(?P<address>https?://[^\s/`'\"]+)?(?P<path>/[^\s`'\",;)]*)"
)
HTTP_VERSION = re.compile(r"[ \t]+HTTP/\d")
LOCAL_URL = re.compile(
    r"https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|[\w-]+\.(?:local|localhost|test|internal)"
    r"|(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2,3})"
    r"(?::\d{1,5})?(?P<path>/[^\s`'\"<>)\]]*)?"
)
"""An address of the machine or the network at which the software itself runs; private networks are those of RFC 1918."""
OPTION = re.compile(r"(?<![\w\-/.])(?P<name>--[A-Za-z][\w\-]*|-[A-Za-z](?=[\s`'\",.;:)=]|$))")
VARIABLE = re.compile(
    r"(?<![\w$%{.\-/@])(?:(?P<mark>\$\{?|process\.env\.|%)(?P<marked>[A-Z][A-Z0-9_]+)(?:[}%](?=\W|$))?|(?P<plain>[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z][A-Z0-9]{2,}(?==\S)))(?![\w(])"
)
SHELL_PROMPT = re.compile(
    r"^[ \t>]*(?:[\w.@~:/-]{0,60}[$%]|[\w.-]{1,30}@[\w.:~/-]{1,60}#|❯|➜|PS [^>\n]{0,80}>)[ \t]+(?P<command>[A-Za-z./~][^\n]{1,300})$",
    re.MULTILINE,
)
_COMMAND_WORD = r"[\w./:@=,+%~^*<>\[\]{}|&\"'$\\-]+"
COMMAND = re.compile(rf"(?:[A-Z_]+=\S+ )*(?:\./)?[a-z][\w.+-]*(?: {_COMMAND_WORD}){{1,12}}")
_MOST_PLAIN_WORDS = 4
"""A command of plain words is short (`git push origin main`); a longer row of them is a sentence."""

CALL_CHARACTERS = re.compile(r"[(){};]|=>|:=| =|= |\breturn\b")
IDENTIFIER = re.compile(r"[@$#]?[A-Za-z_][\w$]*[?!]?(?:(?:\.|::|->|#|\\)\$?[A-Za-z_][\w$]*[?!]?)*")
CAPITALS = re.compile(r"[A-Z][A-Z0-9_]{2,}")
_LITERALS = frozenset("true false null nil none undefined nan self this True False None NULL".split())
_HYPHEN_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)+")
_MARKUP = re.compile(r"</?(?P<tag>[A-Za-z][\w.-]*)[^<>]{0,200}/?>")
_DOMAIN_ENDINGS = frozenset("com org net io dev edu gov app ai co uk de fr eu me sh xyz".split())
BARE_NAME = re.compile(
    r"""(?<![\w./`@#$\\:-])(?P<name>
        [A-Za-z_]\w*(?:(?:\.|::|->|\#)[A-Za-z_]\w*)+(?:\(\))?        # a.b, A::b, A#b
      | _{0,2}[A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)+_{0,2}(?:\(\))? # snake_case
      | [a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+(?:\(\))?                   # camelCase
      | [A-Z]+[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+(?:\(\))?             # PascalCase
      | [A-Z][a-z][a-z0-9]*(?:Error|Exception)                       # ValueError
      | [A-Za-z_]\w*\(\)                                             # called()
    )(?![\w/@-])""",
    re.VERBOSE,
)
ISSUE = re.compile(
    r"(?<![\w&/#.-])(?:(?P<repository>[\w.-]+/[\w.-]+)?#|GH-)(?P<number>[1-9]\d{0,6})(?![\w-])"
)
COMMIT = re.compile(
    r"(?<![\w#@/.=-])(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)(?:[0-9a-f]{40}|[0-9a-f]{7,12})(?![\w-])"
)
ERROR_LINE = re.compile(
    r"^[ \t>|]{0,40}(?:[^\n]{0,80}?[\s:\]])?(?P<name>(?:[\w$]+[.:\\]{1,2}){0,8}[A-Z]\w*(?:Error|Exception|Warning|Panic)|(?:[Ff]atal )?[Ee]rror|ERROR|FATAL|panic|error\[E\d+\])"
    r"(?: \[\w+\])?: (?P<message>[^\n]{4,300})$",
    re.MULTILINE,
)
PRINTED_MESSAGE = re.compile(
    r"(?:\b(?:FATAL|CRITICAL|ERROR|WARN(?:ING)?|[Ff]atal|[Ww]arning)\b|\[(?:fatal|error|warn(?:ing)?)\])[\])]?[ \t:|-]{1,60}"
    r"(?:[\[(][^\[\]()\n]{1,40}[\])][ \t:|-]{1,8}){0,2}(?P<line>[^\W\d]\S{0,60}[ \t][^\n]{3,240})"
    r"|\b(?:msg|message|err|error)\b[\"']?\s?[=:]\s?\"(?P<value>[^\s\"]{1,60} [^\"\n]{3,240})\""
)
"""What a program printed: `Fatal: no space left`, `[ERROR] no space left`, `level=warn msg="no space left"`."""

_LEVEL = r"(?:DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|TRACE)"
_LOGGER = r"(?P<{}>[A-Za-z_][\w$]*(?:(?:::|[./])[A-Za-z_][\w$-]*)+)"
LOGGER = re.compile(
    rf"\b{_LEVEL}\b[\s:|\]\[(-]{{1,8}}(?:\d{{1,7}}[\s\]:-]{{1,8}})?(?:\[[\w\s#-]{{1,40}}\]\s*)?{_LOGGER.format('after')}(?=[\s:\])|-])"
    rf"|[\[\s(]{_LOGGER.format('before')}[\])]?[\s:|-]{{1,4}}\[?{_LEVEL}\b"
    rf"|\blogger[\"']?[=:]\s?[\"']?{_LOGGER.format('named')}"
)
QUOTATION = re.compile(
    r"“(?P<a>[^“”\n]{2,200})”|«\s?(?P<b>[^«»\n]{2,200}?)\s?»|„(?P<c>[^„“”\n]{2,200})[“”]|「(?P<d>[^「」\n]{1,200})」"
    r"|(?<![\w=\"])\"(?P<e>[^\"\n]{2,200})\"(?![\w\"])|(?<![\w='’])['‘](?P<f>[A-Z][^'’\n]{1,80}|[^'’\n]{1,40} [^'’\n]{1,100})['’](?![\w'])"
    r"|\*\*(?P<g>[^*\n:]{2,60})\*\*"
)  # fmt: skip


def kind_of_marked(word: str) -> tuple[CitationKind, str] | None:
    """What a word in back-ticks is, and its name alone: `--dry-run`, `src/cart/`, `GET`, `<Cart />`, `pay()`."""
    plain = word.strip(".,;:!?\"'") if word[-1:] not in ("?", "!") else word.strip(".,;:\"'")
    if OPTION.fullmatch(plain):
        return CitationKind.OPTION, plain
    if (variable := VARIABLE.fullmatch(plain)) is not None:
        return CitationKind.ENVIRONMENT, variable["marked"] or variable["plain"]
    if (file := FILE.fullmatch(plain)) is not None:
        return CitationKind.FILE, file["path"].replace("\\", "/")
    if plain.startswith("/") and (route := ROUTE.fullmatch(plain)) is not None:
        return None if _root(plain) in _MACHINE_ROOTS else (CitationKind.ROUTE, route["path"])
    if "/" in plain and DIRECTORY.fullmatch(plain):
        return CitationKind.FILE, plain
    if (markup := _MARKUP.fullmatch(plain)) is not None:
        return CitationKind.NAME, markup["tag"]
    if _HYPHEN_WORD.fullmatch(plain):
        return CitationKind.NAME, plain
    name = plain.partition("(")[0] if plain.endswith(")") else plain
    if name not in METHODS | _LITERALS and len(name) > 1 and IDENTIFIER.fullmatch(name):
        return CitationKind.NAME, name.lstrip("@$#")
    return None


def plain_path(path: str) -> str:
    """The path of a route without its query and the punctuation of the sentence around it."""
    return re.split(r"[?#]", path, maxsplit=1)[0].rstrip(".,:;!`*'\"") or "/"


def is_system_path(path: str) -> bool:
    """Whether a path begins at the root of a machine: `/usr/lib/x`, and no URL."""
    return _root(path) in _SYSTEM_ROOTS


def _root(path: str) -> str:
    return path.lstrip("/").partition("/")[0].lower()


def is_plain_name(name: str) -> bool:
    """Whether a dotted word is none of code: an abbreviation (`e.g`), a host (`example.com`), a version."""
    parts = name.removesuffix("()").split(".")
    if len(parts) == 1 or name.endswith("()"):
        return False
    return (
        all(len(part) == 1 for part in parts)
        or parts[-1].lower() in _DOMAIN_ENDINGS
        or parts[0].lower() == "www"
    )


def is_command(text: str) -> bool:
    """Whether words in back-ticks are a typed command: `poetry config --list`, and no code or prose."""
    if COMMAND.fullmatch(text) is None or CALL_CHARACTERS.search(text) is not None:
        return False
    words = text.split()
    return len(words) <= _MOST_PLAIN_WORDS or not all(word.isalpha() for word in words)
