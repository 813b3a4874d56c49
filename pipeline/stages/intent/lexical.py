"""Read a ticket without a model: identifiers, routes, verbs and quoted words, by rule and the same every time.

The reader is honest about its limits: it finds what is *written* (names, routes, nouns of the request surface) and
leaves out what it would have to guess.
"""

import re
from collections.abc import Iterator

from pipeline.domain.intent import Intent, Mention, MentionKind, NewName, Operation, Source
from pipeline.domain.mentions import find_mentions
from pipeline.stages.intent.exclusions import find_excluded
from pipeline.stages.intent.hidden_text import remove_hidden
from pipeline.stages.intent.hints import find_acceptance, find_conditions

_QUERY_NAME = re.compile(r"[?&]([A-Za-z_][\w\-\[\]]*)=")

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'(])|\n\s*\n|\n(?=\s*[-*\d])")

_SURFACE = re.compile(
    r"""\b(
        flags? | (?:query\s+|request\s+|url\s+|path\s+)?param(?:eter)?s? | query\s+(?:string|argument)s? | (?:body\s+|request\s+|response\s+)?fields?
      | filter(?:s|ed|ing)?(?:\s+by)? | header | (?:request|response)\s+bod(?:y|ies) | payload | response | boolean | switch | toggle
      | optional(?=\s+`) | argument | propert(?:y|ies) | attribute | column | sort(?:ed|ing)?\s+by | paginat\w+
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)
_NARROWS = re.compile(
    r"\b(?:lists?|listing|show|see|find|search)\b[^.]{0,60}\b(?:only|limited\s+to|narrow\w*|filter\w*|restrict\w*)\b",
    re.IGNORECASE,
)
"""Words that ask for a part of a list: somebody has to say which part."""

_TAKES = re.compile(
    r"\b(?:accepts?|takes?|carr(?:y|ies)|pass(?:es)?|sends?|request|be\s+accepted)\b", re.IGNORECASE
)
"""With a new name, verbs that say that a caller gives it."""

_GIVES = re.compile(
    r"\b(?:possible|able|allowed|way|may|can|could|let\s+\w+|lets\s+\w+)\s+(?:to\s+)?"
    r"(?:add|give|say|state|send|set|choose|select|pick|specify|pass|enter|attach|leave|provide|tell|name)\b",
    re.IGNORECASE,
)
"""With a new name, words that say that somebody gives it."""

_NOT_SURFACE = re.compile(
    r"\b(?:no|not|without|never)\b[^.\n]{0,40}\b(?:api|request|response|interface|surface|contract|behaviou?r)\b"
    r"|\b(?:no|not|without|never|n['’]t)\b[^.,;\n]{0,20}\b(?:new|another|more|extra|additional)\s+(?:param\w*|flags?|fields?|options?|headers?)\b"
    r"|\b(?:api|request|response|interface|contract)s?\b[^.\n]{0,30}\b(?:unchanged|stays?|remains?|as (?:it is|before)|the same)\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"(?:It|They|This|That|These|Those|He|She)\b")
"""Words with which a sentence goes on about what the one before it told of."""

_WISH = re.compile(
    r"\b(?:please|give|add|introduce|support|accept|take|takes|allow|let|lets|expose|provide|offer|need|needs|want|wants"
    r"|should|must|would\s+(?:like|be)|could|can|implement|create)\b",
    re.IGNORECASE,
)
_NEW_NAME_CUE = re.compile(
    r"\b(?:add|introduce|new|an?|optional|boolean|flag|param(?:eter)?|field|filter|called|named|accepts?|takes?|supports?|pass(?:es)?|sends?|carr(?:y|ies)|header|option|switch)"
    r"\s+(?:\w+\s+){0,3}$",
    re.IGNORECASE,
)
_NAME_BEFORE_NOUN = re.compile(
    r"^\s*(?:\w+\s+)?(?:flag|param(?:eter)?|field|filter|boolean|option|header|switch|argument|column|text|query|endpoint|route)\b",
    re.IGNORECASE,
)

_OPERATIONS: tuple[tuple[Operation, re.Pattern[str]], ...] = (
    (
        Operation.FIX,
        re.compile(
            r"\b(?:bug|fix(?:e[sd])?|broken|crash\w*|fails?|failing|error\s+500|500s?|regression|wrong(?:ly)?|incorrect\w*"
            r"|traceback|exception|leaks?|deadlock\w*|does(?:n['’]t|\s+not)\s+work|stopped\s+working)\b",
            re.IGNORECASE,
        ),
    ),
    (Operation.RENAME, re.compile(r"\brename\w*\b", re.IGNORECASE)),
    (Operation.DOCUMENT, re.compile(r"^(?:document|docs?\b|describe|readme)", re.IGNORECASE)),
    (Operation.TEST, re.compile(r"^(?:tests?|cover)\b", re.IGNORECASE)),
    (Operation.REMOVE, re.compile(r"^(?:remove|drop|get\s+rid\s+of|deprecate)\b", re.IGNORECASE)),
)
_CHANGE_WORDS = re.compile(
    r"\b(?:change|improve|update|refactor|speed\s+up|move|replace|simplify|clean\s+up|instead\s+of|faster|retry|log|cache)\b",
    re.IGNORECASE,
)
_ABLE = re.compile(
    r"(?<!not\s)(?<!never\s)\b(?:be\s+able\s+to|way\s+to|possible\s+to"
    r"|(?:call|endpoint|route|command)\s+(?:that|which|to|for)\b|lets?\s+(?:\w+|(?:an?|the)\s+\w+)\s+\w+)",
    re.IGNORECASE,
)
"""Words that ask for an ability, whatever verb the title begins with: "change my password" is no change of the code."""

_COMMAND = re.compile(
    r"\b(?:commands?(?:[\s-]+line)?|scripts?|cli|cron\w*|jobs?)\b|(?<![\w-])--[a-z][\w-]*", re.IGNORECASE
)
_NUMBER = (
    r"(?:\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty"
    r"|hundred|thousand|half|double|twice)"
)
_VALUE = re.compile(
    rf"""\b(?:
        (?:make|set|raise|lower|increase|reduce|change|bump|turn|put)\s+(?:(?:it|that|this|them|the|both)\b[^.\n]{{0,40}}?|)\s*
            (?:to|from|as|the\s+default)?\s*{_NUMBER}
      | (?:make|set)\s+(?:that|it|this)\s+the\s+default
      | default\s+(?:of|to|should|is|value)
      | would\s+(?:do|be\s+enough|suffice)
      | too\s+(?:few|short|long|low|high|small|large|big|many|little|much)
      | (?:not|are|is)\s+enough
      | should\s+be\s+(?:at\s+(?:least|most)\s+)?{_NUMBER}
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)


def read_lexically(title: str, body: str) -> Intent:
    """Fill the intent from the words of a ticket, deterministically. Takes any text; raises nothing."""
    title, hidden_in_title = remove_hidden(title)
    body, hidden_in_body = remove_hidden(body)
    prose = f"{title}\n\n{body}"
    mentions = find_mentions(prose)
    new_names = tuple(_new_names(prose, mentions))
    mentions = tuple(one for one in mentions if not _is_value(one, new_names, prose))
    wish = _wish_sentences(title, body, new_names)
    operation, quote = _operation(title, wish, new_names)
    return Intent(
        source=Source.LEXICAL,
        operation=operation,
        operation_quote=quote,
        surface_quote=_surface_quote(operation, title, wish, prose, new_names),
        command_quote=_command_quote(mentions, wish, prose),
        value_quote=_value_quote(operation, prose),
        mentions=mentions,
        new_names=new_names,
        wish=wish,
        excluded=find_excluded(prose),
        conditions=find_conditions(wish.splitlines()),
        acceptance=find_acceptance(body),
        prose=prose,
        hidden_removed=hidden_in_title + hidden_in_body,
    )


def _is_value(mention: Mention, new_names: tuple[NewName, ...], prose: str) -> bool:
    """Whether a name only stands in brackets after a new name, as one of its values: "`sort` (`name` or `newest`)"."""
    if mention.kind is not MentionKind.NAME:
        return False
    values = "".join(
        match[1]
        for new in new_names
        for match in re.finditer(rf"`{re.escape(new.text)}`\s*(\([^()\n]*\))", prose)
    )
    marked = f"`{mention.text}`"
    return marked in values and values.count(marked) == prose.count(marked)


def _wish_sentences(title: str, body: str, new_names: tuple[NewName, ...]) -> str:
    """The sentences that ask for something or name something new; the title where none does."""
    sentences = [sentence.strip() for sentence in _SENTENCE.split(body) if sentence and sentence.strip()]
    marked = [f"`{new.text}`" for new in new_names]
    asks = [bool(_WISH.search(one)) or any(name in one for name in marked) for one in sentences]
    goes_on = [asked and bool(_GOES_ON.match(one)) for asked, one in zip(asks, sentences, strict=True)]
    told_of = [*goes_on[1:], False][: len(sentences)]
    wishes = [one for one, *said in zip(sentences, asks, told_of, strict=True) if any(said)]
    return "\n".join([title, *wishes])


def _new_names(prose: str, mentions: tuple[Mention, ...]) -> Iterator[NewName]:
    seen: set[str] = set()
    for match in _QUERY_NAME.finditer(prose):
        if match[1] not in seen:
            seen.add(match[1])
            yield NewName(text=match[1], quote=match.group().lstrip("?&") or match[1])
    for mention in mentions:
        if mention.kind is MentionKind.OPTION and _stands_alone(mention) and mention.text not in seen:
            seen.add(mention.text)
            yield NewName(text=mention.text, quote=mention.quote)
        if mention.kind is not MentionKind.NAME or mention.text in seen:
            continue
        if _is_introduced(prose, mention.text) or _is_listed(prose, mention.text):
            seen.add(mention.text)
            yield NewName(text=mention.text, quote=mention.quote)


def _stands_alone(option: Mention) -> bool:
    """Whether an option is spoken of for itself; inside a whole call (`tool --old 3`) it is there already."""
    return option.quote.startswith(option.text) and option.text.startswith("-")


def _is_listed(prose: str, name: str) -> bool:
    """Whether the name begins an item of a list that a wish announces: "should accept", then "- `name`"."""
    item = re.search(rf"^[ \t]*(?:[-*]|\d+[.)])[ \t]+`{re.escape(name)}`", prose, re.MULTILINE)
    if item is None:
        return False
    announced = re.split(r"\n\s*\n(?!\s*[-*\d])", prose[max(0, item.start() - 2_000) : item.start()])[-1]
    return bool(_WISH.search(announced))


def _is_introduced(prose: str, name: str) -> bool:
    """Whether some place speaks of the name as of something to come: "add an optional `name`", "a `name` flag"."""
    ticks = (
        "`+" if name.isalpha() and name.islower() else "`*"
    )  # a plain word is a name only where it is marked as one
    for match in re.finditer(rf"{ticks}(?<!\w){re.escape(name)}(?!\w)`*", prose):
        before = _SENTENCE.split(prose[max(0, match.start() - 60) : match.start()])[-1] or ""
        if _NEW_NAME_CUE.search(before) and not re.search(
            r"(?<!number )(?<!amount )(?<!list )\b(?:in|of|by|via|through|to|inside|into|for|on|at|from)\s+$",
            before,
        ):
            return True
        if _NAME_BEFORE_NOUN.match(prose[match.end() : match.end() + 40]) and _WISH.search(
            _sentence_at(prose, match.start())
        ):
            return True
    return False


def _sentence_at(prose: str, position: int) -> str:
    start = 0
    for boundary in _SENTENCE.finditer(prose):
        if boundary.start() > position:
            return prose[start : boundary.start()]
        start = boundary.end()
    return prose[start:]


def _operation(title: str, wish: str, new_names: tuple[NewName, ...]) -> tuple[Operation, str]:
    fix, *others = _OPERATIONS
    if match := fix[1].search(title):
        return fix[0], match.group()
    if match := _ABLE.search(wish):
        return Operation.ADD, match.group()
    for operation, pattern in others:
        if match := pattern.search(title):
            return operation, match.group()
    if new_names:
        return Operation.ADD, new_names[0].quote
    if match := _CHANGE_WORDS.search(title):
        return Operation.CHANGE, match.group()
    if match := _WISH.search(wish.partition("\n")[2]) or _WISH.search(title):
        return Operation.ADD, match.group()
    for operation, pattern in _OPERATIONS[:1]:
        if match := pattern.search(wish):
            return operation, match.group()
    return Operation.CHANGE, title.split(" ", maxsplit=1)[0]


def _surface_quote(
    operation: Operation, title: str, wish: str, prose: str, new_names: tuple[NewName, ...]
) -> str | None:
    if operation in (Operation.TEST, Operation.DOCUMENT) or _NOT_SURFACE.search(prose):
        return None
    if match := _SURFACE.search(wish):
        return match.group().strip()
    if operation is Operation.FIX:
        return None
    if match := _NARROWS.search(wish):
        return match.group().strip()
    if new_names and (match := _QUERY_NAME.search(prose) or _TAKES.search(wish) or _GIVES.search(wish)):
        return match.group().strip()
    asked_in_title = next((new for new in new_names if new.text in title), None)
    return asked_in_title.quote if asked_in_title else None


def _command_quote(mentions: tuple[Mention, ...], wish: str, prose: str) -> str | None:
    """The words that speak of a command line. One in passing ("the job is tedious") matters only where a wish says it."""
    options = [mention.quote for mention in mentions if mention.kind is MentionKind.OPTION]
    match = _COMMAND.search(wish) or _COMMAND.search(prose)
    return match.group() if match else (options[0] if options else None)


def _value_quote(operation: Operation, prose: str) -> str | None:
    """The words that ask for another value: a number is spoken of, and it is called wrong or is to be set."""
    if operation in (Operation.TEST, Operation.DOCUMENT) or not re.search(
        rf"\b{_NUMBER}\b", prose, re.IGNORECASE
    ):
        return None
    match = _VALUE.search(prose)
    return match.group().strip() if match else None
