"""The HTTP door of the sandbox: reads a request, checks who calls, lets faults strike, answers as GitHub does."""

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from flask import Flask, Request, Response, g, request
from werkzeug.exceptions import HTTPException

from sandbox import access
from sandbox.faults import Faults, Moment, RequestFault
from sandbox.rest import actions, apps, checks, git, issues, pulls, repositories
from sandbox.rest.routes import DEFAULT_API, ApiAnswer, ApiCall, ApiRoute, Caller, Page, Services
from sandbox.world import refusals

if TYPE_CHECKING:
    from sandbox.world.state import Token

API_PREFIX = "/api/v3"
"""Where a GitHub of one's own has its REST API; clients that assume api.github.com's bare paths fail here."""

ROUTES: list[ApiRoute] = [
    route
    for family in (apps, issues, actions, checks, repositories, git, pulls)
    for route in family.routes.table
]
"""Every REST route of the sandbox."""

_DOCUMENTATION = "https://docs.github.com/rest"
_STATUS: dict[type[refusals.Refusal], int] = {
    refusals.NotFound: 404,
    refusals.Forbidden: 403,
    refusals.NoCredentials: 401,
    refusals.Invalid: 422,
    refusals.UnreadableRequest: 400,
    refusals.Conflict: 409,
    refusals.ResourceGone: 410,
}


@dataclass
class HttpExchange:
    """One request and its answer, as they went over the wire.

    `path` has no prefix; `caller` is the login behind the token, the App's slug for a JWT, or None.
    """

    method: str
    path: str
    query: Mapping[str, str]
    request_headers: Mapping[str, str]
    request_body: bytes
    caller: str | None = None
    status: int = 0
    response_headers: Mapping[str, str] = field(default_factory=dict)
    response_body: bytes = b""

    @property
    def document(self) -> Any:
        """The answer as JSON, None if it had no body."""
        return json.loads(self.response_body) if self.response_body else None


class RequestLog:
    """Every exchange in order, and who is told of each."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.exchanges: list[HttpExchange] = []
        self.in_flight = 0
        self.last_activity = time.monotonic()
        self.observers: list[Callable[[HttpExchange], None]] = []

    def begin(self) -> None:
        """A request has come in."""
        with self._lock:
            self.in_flight += 1

    def end(self, exchange: HttpExchange) -> None:
        """It has been answered."""
        with self._lock:
            self.in_flight -= 1
            self.last_activity = time.monotonic()
            self.exchanges.append(exchange)
        for observer in self.observers:
            observer(exchange)


def create_server(services: Services, faults: Faults, log: RequestLog) -> Flask:
    """The Flask application with all REST routes; pages are added by their own room."""
    app = Flask("sandbox", root_path=str(Path(__file__).parent / "pages"))
    for route in ROUTES:
        endpoint = f"{route.method} {route.path}"
        view = _view(services, route)
        app.add_url_rule(API_PREFIX + route.path, endpoint, view, methods=[route.method])
    _attach_log_and_faults(app, faults, log)
    app.register_error_handler(refusals.Refusal, _refuse)
    app.register_error_handler(HTTPException, _refuse_http)
    return app


def _view(services: Services, route: ApiRoute) -> Callable[..., Response]:
    def view(**parameters: Any) -> Response:
        with services.world.lock:
            call = _call(services, route, parameters)
            answer = route.answer(call, **parameters)
            return _page(call, answer) if isinstance(answer, Page) else _respond(answer)

    return view


def _call(services: Services, route: ApiRoute, parameters: dict[str, Any]) -> ApiCall:
    """The request, read and allowed. Where a route demands access, its repository is taken out of the parameters."""
    world, header = services.world, request.headers.get("Authorization")
    token: Token | None = None
    if route.caller is Caller.APP:
        g.exchange.caller = access.authenticate_app(world, header).slug
    elif route.caller is Caller.HOLDER:
        token = access.authenticate(world, header)
        g.exchange.caller = token.account.login
    repository = None
    if token is not None and route.access is not None:
        repository = world.repository(parameters.pop("owner"), parameters.pop("repo"))
        access.authorize(world, token, repository, route.access)
    body = _json_body(request)
    return ApiCall(
        services,
        body if isinstance(body, dict) else {},
        request.args.to_dict(),
        request.headers.get("X-GitHub-Api-Version", DEFAULT_API),
        request.path.removeprefix(API_PREFIX),
        repository,
        token,
        body if isinstance(body, list) else None,
    )


def _json_body(incoming: Request) -> object:
    data = incoming.get_data()
    if not data:
        return None
    try:
        return json.loads(data)
    except ValueError as error:
        raise refusals.UnreadableRequest("Problems parsing JSON") from error


def _page(call: ApiCall, page: Page) -> Response:
    """One page of a list, with the addresses of its neighbours in the `Link` header."""
    size = min(max(_number(call.query, "per_page", 30), 1), 100)
    place = "cursor" if page.by_cursor else "page"
    number = max(_number(call.query, place, 1), 1)
    last = max(1, -(-len(page.items) // size))
    neighbours = {"prev": number - 1, "next": number + 1, "last": last, "first": 1}
    forward, backward = ("next",) if page.by_cursor else ("next", "last"), ("prev", "first")
    link_names = (*(forward if number < last else ()), *(backward if number > 1 else ()))
    other_parameters = {name: value for name, value in call.query.items() if name != place}
    address = call.documents.at.api + call.path
    links = [
        f'<{address}?{urlencode({**other_parameters, place: target})}>; rel="{name}"'
        for name, target in neighbours.items()
        if name in link_names
    ]
    items = [page.document_of(item) for item in page.items[(number - 1) * size : number * size]]
    document = items if page.key is None else {"total_count": len(page.items), page.key: items}
    return _respond(ApiAnswer(200, document, {"Link": ", ".join(links)} if links else {}))


def _number(query: Mapping[str, str], name: str, default: int) -> int:
    """A number of the query, or the default where it is none."""
    value = query.get(name, "")
    return int(value) if value.isdecimal() else default


def _respond(answer: ApiAnswer) -> Response:
    if answer.document is None:
        return Response(status=answer.status, headers=dict(answer.headers))
    body = json.dumps(answer.document, ensure_ascii=False)
    return Response(body, answer.status, dict(answer.headers), content_type="application/json; charset=utf-8")


def _refuse(refusal: refusals.Refusal) -> Response:
    status = _STATUS[type(refusal)]
    document: dict[str, object] = {"message": str(refusal)}
    if isinstance(refusal, refusals.Invalid) and refusal.errors is not None:
        document["errors"] = refusal.errors
    document |= {"documentation_url": _DOCUMENTATION, "status": str(status)}
    headers = {}
    if isinstance(refusal, refusals.Forbidden) and refusal.permissions:
        headers["X-Accepted-GitHub-Permissions"] = refusal.permissions
    return _respond(ApiAnswer(status, document, headers))


def _refuse_http(error: HTTPException) -> Response:
    if not request.path.startswith(API_PREFIX):
        return Response(error.get_body(), error.code or 500, content_type="text/html; charset=utf-8")
    message = "Not Found" if error.code in (404, 405) else error.name
    status = 404 if error.code == 405 else error.code or 500
    document = {"message": message, "documentation_url": _DOCUMENTATION, "status": str(status)}
    return _respond(ApiAnswer(status, document))


def _attach_log_and_faults(app: Flask, faults: Faults, log: RequestLog) -> None:
    """Wrap every REST request: first the log, then the faults that strike before it, then those that strike after."""

    @app.before_request
    def begin() -> Response | None:
        if not request.path.startswith(API_PREFIX + "/"):
            return None
        log.begin()
        path = request.path.removeprefix(API_PREFIX)
        g.exchange = HttpExchange(
            request.method, path, request.args.to_dict(), dict(request.headers), request.get_data()
        )
        g.faults = faults.of_request(request.method, path)
        return _strike(g.faults, Moment.BEFORE)

    @app.after_request
    def end(response: Response) -> Response:
        if "exchange" not in g:
            return response
        exchange: HttpExchange = g.exchange
        try:
            fault_response = _strike(g.faults, Moment.AFTER)
            answer = fault_response if fault_response is not None else response
            _add_headers(answer)
            exchange.status = answer.status_code
            exchange.response_headers = dict(answer.headers)
            exchange.response_body = answer.get_data()
        finally:
            log.end(exchange)
        return answer


def _strike(struck_by: list[RequestFault], moment: Moment) -> Response | None:
    for fault in struck_by:
        if fault.moment is not moment:
            continue
        if fault.seconds:
            time.sleep(fault.seconds)
        if fault.call is not None:
            fault.call()
        if fault.status is not None:
            headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
            document = {
                "message": fault.message,
                "documentation_url": _DOCUMENTATION,
                "status": str(fault.status),
            }
            return _respond(ApiAnswer(fault.status, document, headers))
    return None


def _add_headers(response: Response) -> None:
    response.headers["X-GitHub-Request-Id"] = f"{time.monotonic_ns():X}"
    response.headers["X-GitHub-Api-Version-Selected"] = request.headers.get(
        "X-GitHub-Api-Version", DEFAULT_API
    )
    response.headers["X-RateLimit-Limit"] = "5000"
    response.headers["X-RateLimit-Remaining"] = "4999"
    response.headers["X-RateLimit-Used"] = "1"
    response.headers["X-RateLimit-Reset"] = str(int(time.time()) + 3600)
    response.headers["X-RateLimit-Resource"] = "core"
