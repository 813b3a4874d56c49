"""The tools as the SDK serves them. Standard output belongs to the protocol; what people may read goes to standard error.

A question reaches the person in one of three ways. A client of a version before 2026-07-28 that can show forms is sent one
in the middle of the call. A newer client gets the form as the call's result and calls again with the answer and with the
state that it was handed, which the SDK has sealed. A client without forms gets the question as the result of the tool:
the agent shows it to the person, and calls again with `answers`.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, assert_never

from anyio.to_thread import run_sync
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import (
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    ToolAnnotations,
)
from mcp.types.version import is_version_at_least
from pydantic import BaseModel, Field, JsonValue, TypeAdapter

from pipeline.contract.answers import MAX_ROUNDS
from pipeline.contract.clarification import Clarification
from pipeline.contract.failure import Failure
from pipeline.contract.ticket import LikelyPlace, Ticket
from pipeline.contract.version import VERSION
from pipeline.domain.errors import PipelineError
from pipeline.mcp_server import form
from pipeline.mcp_server.checkout import Checkout
from pipeline.mcp_server.form import PersonsAnswer

if TYPE_CHECKING:
    from pipeline.explanation.explanation import Explanation
    from pipeline.run_record.run_directory import Ending

INSTRUCTIONS = """\
Call `ask_first` with the ticket before you write code for it. It ends with a ticket that names what to change, with a \
question that only a person may answer, or with a failure that says what to do. Never answer such a question yourself: show \
it to the person, and pass on what they say. `places` and `explain` decide nothing: they show which files a ticket is \
about, and why."""

_FORMS_IN_RESULTS = "2026-07-28"
"""The first version of the protocol in which a server cannot send a request of its own."""

_EXPLANATION_FIELDS: dict[str, Any] = dict.fromkeys(
    (
        "confidence", "existing", "evidence", "asks", "question", "reason", "candidates", "default",
        "default_reason", "targets",
    ),
    True,
) | {"document": {"kind", "kind_reason", "citations", "acceptance"}, "ranking": {"notes"}}  # fmt: skip
"""What of an explanation a client gets. The rest, features of every file, would fill the context of a model."""

_VALUE_OF_CHOICE = '"choice": "<id of an option>"}, or "text" with their own words in place of "choice"'
_VALUE_OF_POINTS = (
    '"points": {"<id of a point>": "<id of an option>"}}, {} to take every default, "words": {"<id of a point>": "<own words>"} '
    'next to it, or "text" with their own words in place of both'
)

_Answers = tuple[PersonsAnswer, ...]
_ANSWERS = TypeAdapter(_Answers)

TicketText = Annotated[
    str,
    Field(
        description="A sentence, Markdown whose first line is the title (`# Add a dry_run flag`), or an issue on GitHub: its number,"
        " owner/repo#12, or its address."
    ),
]


class AskedFirst(BaseModel):
    """How `ask_first` ended.

    `document` is `ticket.json`, `clarification.json` or `failure.json`. `answers` are those that were used: the next call
    takes them along.
    """

    ends_with: Literal["ticket", "question", "failure"]
    next_step: str
    document: dict[str, JsonValue]
    answers: tuple[PersonsAnswer, ...]


class LikelyPlaces(BaseModel):
    """Files that a ticket is probably about, the most probable first."""

    places: tuple[LikelyPlace, ...]
    notes: tuple[str, ...]


def build_server(checkout: Checkout) -> MCPServer:
    """The server of one checkout, ready to run."""
    server = MCPServer("askfirst", instructions=INSTRUCTIONS, version=VERSION)
    reads = ToolAnnotations(read_only_hint=True, open_world_hint=False)

    def explanation_of(ticket: str) -> "Explanation":
        try:
            return checkout.explain(ticket)
        except PipelineError as error:
            raise ToolError(str(error)) from error

    @server.tool(annotations=reads)
    async def ask_first(
        ticket: TicketText, context: Context[Any, Any], answers: tuple[PersonsAnswer, ...] = ()
    ) -> AskedFirst | InputRequiredResult:
        """Call this before you write code for a ticket. It names what to change, or asks the person one question.

        `answers` are what the person has answered to earlier questions of this tool.
        """
        return await _Call(checkout, ticket, context).go(answers)

    @server.tool(annotations=reads)
    def places(ticket: TicketText) -> LikelyPlaces:
        """The files that a ticket is probably about, with calibrated probabilities and reasons, in any language."""
        explanation = explanation_of(ticket)
        return LikelyPlaces(places=explanation.places, notes=explanation.ranking.notes)

    @server.tool(annotations=reads)
    def explain(ticket: TicketText) -> dict[str, Any]:
        """Why askfirst would ask about a ticket, or would not: what it cites, and which words select which candidates."""
        return explanation_of(ticket).model_dump(mode="json", include=_EXPLANATION_FIELDS)

    return server


def serve(repository: Path, folder: Path, environment: dict[str, str]) -> None:
    """Serve the client at standard input and output until it goes."""
    print(f"askfirst {VERSION} serves {repository.resolve()}", file=sys.stderr)
    build_server(Checkout(repository, folder, environment)).run("stdio")


class _Call:
    """One call of `ask_first`, or, for a newer client, one attempt of it."""

    def __init__(self, checkout: Checkout, ticket: str, context: Context[Any, Any]) -> None:
        self._checkout = checkout
        self._ticket = ticket
        self._context = context

    async def go(self, answers: _Answers) -> AskedFirst | InputRequiredResult:
        """Run, ask, and run again, as often as one conversation may ask."""
        if self._context.request_state is not None:
            answers = _ANSWERS.validate_json(self._context.request_state)
        answers = await run_sync(self._checkout.with_labels, self._ticket, answers)
        note = ""
        for _ in range(MAX_ROUNDS + 1):
            ending = await self._run(answers)
            if not isinstance(ending, Clarification) or not self._has_forms():
                break
            reply = await self._reply(ending)
            if reply is None:
                return self._form_to_fill_in(ending, answers)
            if reply.action != "accept":
                note = "The person did not want to answer. "
                break
            answer = form.answer(ending, reply.content or {})
            if answer is None:
                note = "The person sent the form without an answer. "
                break
            answers = (*answers, answer)
        return _result(ending, answers, note)

    async def _run(self, answers: _Answers) -> "Ending":
        try:
            return await run_sync(self._checkout.run, self._ticket, answers)
        except PipelineError as error:
            raise ToolError(str(error)) from error

    def _has_forms(self) -> bool:
        """Whether the client can ask its person. One that names no mode means forms."""
        capabilities = self._context.client_capabilities
        asks = capabilities.elicitation if capabilities is not None else None
        return asks is not None and (asks.form is not None or asks.url is None)

    async def _reply(self, clarification: Clarification) -> ElicitResult | None:
        """What the person did with the form; None if a newer client has still to be given it.

        The answer of a newer client comes under the question's id: if the code has changed meanwhile so that another
        question stands, it answers nothing.
        """
        version = self._context.protocol_version
        if version is not None and is_version_at_least(version, _FORMS_IN_RESULTS):
            reply = (self._context.input_responses or {}).get(clarification.question.id)
            return reply if isinstance(reply, ElicitResult) else None
        result: ElicitResult = await self._context.session.elicit_form(
            form.message(clarification), form.schema(clarification), self._context.request_id
        )
        return result

    def _form_to_fill_in(self, clarification: Clarification, answers: _Answers) -> InputRequiredResult:
        params = ElicitRequestFormParams(
            message=form.message(clarification), requested_schema=form.schema(clarification)
        )
        return InputRequiredResult(
            input_requests={clarification.question.id: ElicitRequest(params=params)},
            request_state=_ANSWERS.dump_json(answers).decode(),
        )


def _result(ending: "Ending", answers: _Answers, note: str) -> AskedFirst:
    """How a call ended, and what the agent does next."""
    match ending:
        case Ticket():
            ends_with: Literal["ticket", "question", "failure"] = "ticket"
            next_step = (
                "Change what `targets` names, and what its notes say."
                if ending.ready
                else "`targets` are not known. Look at `places`, and ask the person before you write code."
            )
        case Clarification():
            ends_with = "question"
            next_step = (
                f"{note}Write no code. Show the person the question and its options, and call `ask_first` again with"
                f' `answers` and one more: {{"question_id": "{ending.question.id}", "slot": "{ending.question.slot}",'
                f" {_VALUE_OF_POINTS if ending.question.has_points else _VALUE_OF_CHOICE}."
            )
        case Failure():
            ends_with = "failure"
            next_step = ending.what_to_do or "Write no code. Show the person the message."
        case _:
            assert_never(ending)
    document: dict[str, JsonValue] = ending.model_dump(mode="json")
    return AskedFirst(ends_with=ends_with, next_step=next_step, document=document, answers=answers)
