"""The ending of an agent that writes text: its last fenced block that stands at the top level and carries the run's nonce.

A Markdown parser finds it. What is quoted, or stands in a list, in another block or in HTML is content, and no ending; so
is every block without the nonce, which no issue, comment or file can know.
"""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import BaseModel, JsonValue, ValidationError

from pipeline.agents.tools import CLARIFY, COMPLETE, ENDINGS, FAIL, Clarify, Fail
from pipeline.domain.model_mistakes import mistakes_by_key
from pipeline.llm.port import ToolCall

if TYPE_CHECKING:
    from markdown_it.token import Token

WRITTEN_CALL_ID = "written"
"""Id of the call that stands for a block: the model made no call, so its result goes back as words."""

_BODY = "body"
_UNCLOSED_KEY = "unclosed"
_WHY_NOT_SAID = "The agent does not say why."


@dataclass(frozen=True)
class Block:
    """One ending as it was written. `is_closed` is false where it has no closing fence."""

    name: str
    body: str
    is_closed: bool = True


def new_nonce() -> str:
    """A word that cannot be guessed before the run: 64 bits."""
    return secrets.token_hex(8)


def last_block(text: str, nonce: str) -> Block | None:
    """The ending of a text, or None. Of several the last one counts."""
    if nonce not in text:
        return None
    from markdown_it import MarkdownIt

    block = None
    for token in MarkdownIt("commonmark").parse(text):
        if token.type != "fence" or token.level != 0:
            continue
        words = token.info.split()
        if len(words) == 2 and words[0] in ENDINGS and words[1] == nonce:
            block = _block(words[0], token)
    return block


def _block(name: str, token: "Token") -> Block:
    """A fence as an ending. A closing fence right behind the last word closes it, too, if nothing follows."""
    first, end = token.map or (0, 0)
    lines = token.content.count("\n") + (token.content[-1:] not in ("", "\n"))
    is_closed = end - first == lines + 2
    body = token.content.strip()
    if is_closed or not body.endswith(token.markup):
        return Block(name, body, is_closed=is_closed)
    return Block(name, body.removesuffix(token.markup).strip())


def as_call(block: Block) -> ToolCall:
    """The block as the call that it stands for."""
    arguments: dict[str, JsonValue] = {_BODY: block.body}
    return ToolCall(
        id=WRITTEN_CALL_ID,
        name=block.name,
        input=arguments if block.is_closed else {**arguments, _UNCLOSED_KEY: True},
    )


def ending_of(call: ToolCall, output: type[BaseModel]) -> BaseModel:
    """What an ending says: the agent's output, `Fail` or `Clarify`, whether it was called or written.

    Raises:
        ValidationError: it does not have that shape.
        Unclosed: it was written without a closing fence.
    """
    kinds: dict[str, type[BaseModel]] = {COMPLETE: output, FAIL: Fail, CLARIFY: Clarify}
    kind = kinds[call.name]
    if call.id != WRITTEN_CALL_ID:
        return kind.model_validate(call.input)
    if call.input.get(_UNCLOSED_KEY):
        raise BlockUnclosed
    body = str(call.input.get(_BODY, ""))
    if call.name == FAIL:
        return Fail(reason=body)
    if call.name == CLARIFY and not body.startswith("{"):
        return Clarify(question=body, why=_WHY_NOT_SAID)
    return kind.model_validate_json(body)


class BlockUnclosed(ValueError):
    """A block has no closing fence, so its end is unknown."""

    def __init__(self) -> None:
        super().__init__("not done, the block has no closing fence on a line of its own")


def argument_problems(error: ValidationError | BlockUnclosed) -> str:
    """The mistakes in the arguments of a call, in words for the model."""
    if isinstance(error, BlockUnclosed):
        return str(error)
    return "not done, the arguments do not fit: " + "; ".join(mistakes_by_key(error, "the arguments")[:5])


def how_to_end(nonce: str, output_schema: Mapping[str, JsonValue], *, how_to_ask: str | None) -> str:
    """What an agent that writes text is told about its endings; `how_to_ask` is None for one that may not ask."""
    endings = [
        f"```{COMPLETE} {nonce}\na JSON object that fits the schema below\n```",
        f"```{FAIL} {nonce}\nwhy it cannot be done, in words\n```",
    ]
    if how_to_ask is not None:
        question_format = "one question that can be decided, in words; or a JSON object with `question`, `why`, up to four `options` and a `default` among them"
        endings.append(f"```{CLARIFY} {nonce}\n{question_format}\n```\n{how_to_ask}")
    ending_formats = "\n\n".join(endings)
    return f"""
How you end: your last message makes no call, and its last block is exactly one of these, at the left margin, outside of
any list or quotation, with the word `{nonce}` in its first line. Where the content holds a fence itself, use a longer one.

{ending_formats}

The schema of `{COMPLETE}`:
{json.dumps(output_schema)}"""


def reminder(nonce: str | None, *, may_ask: bool) -> str:
    """What an agent is told that has neither made a call nor ended. Without a nonce its endings are calls."""
    names = [COMPLETE, FAIL, *([CLARIFY] if may_ask else [])]
    if nonce is None:
        return f"You made no call. Go on with a tool, or end with one of {', '.join(f'`{name}`' for name in names)}."
    return (
        "You made no call and did not end. Go on with a tool, or end with one fenced block at the left margin whose first "
        f"line is one of {', '.join(f'```{name} {nonce}' for name in names)}."
    )
