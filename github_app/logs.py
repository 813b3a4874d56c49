"""The App's log: one line per delivery, as text for people or as JSON for machines."""

import json
import logging
import re
import sys
from datetime import UTC, datetime
from typing import Any

FIELDS = "askfirst"
"""Key of `extra` under which a log call brings fields: `extra={FIELDS: {"place": "acme/orders#7", "ms": 12}}`."""

_PARAMETERS = re.compile(r"^\[parameters: .*$", re.MULTILINE)
"""The line on which SQLAlchemy shows what was to be stored. It is a `repr`, so it has no line breaks in it."""


_OFTEN_IN_MESSAGES = frozenset({"place", "event", "delivery"})


class TextFormatter(logging.Formatter):
    """Time, level, module, message, and behind it the fields that it does not say itself."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """One line, and a traceback where there is one."""
        fields = _fields(record)
        line = _without_parameters(super().format(record))
        if not fields:
            return line
        first, newline, rest = line.partition("\n")
        named_in_message = {
            name for name in _OFTEN_IN_MESSAGES & fields.keys() if str(fields[name]) in record.getMessage()
        }
        fields = {name: value for name, value in fields.items() if name not in named_in_message}
        return " ".join((first, *(f"{name}={value}" for name, value in fields.items()))) + newline + rest


class JsonFormatter(logging.Formatter):
    """One JSON object per line; a traceback is a field of it."""

    def format(self, record: logging.LogRecord) -> str:
        """The object."""
        document = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": _without_parameters(record.getMessage()),
            **_fields(record),
        }
        if record.exc_info:
            document["traceback"] = _without_parameters(self.formatException(record.exc_info))
        return json.dumps(document, ensure_ascii=False, default=str)


def log_to_stderr(log_format: str) -> None:
    """Send all logs of this process to standard error, as `text` or as `json`. Repeating it changes nothing more."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if log_format == "json" else TextFormatter())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    take_engine_log()


def take_engine_log() -> logging.Logger:
    """Let the engine log as everything does. It brings a handler of its own when it is imported, and when it is launched."""
    engine = logging.getLogger("dbos")
    engine.handlers.clear()
    engine.propagate = True
    engine.setLevel(logging.WARNING)
    return engine


def _without_parameters(text: str) -> str:
    """A text without the parameters of statements, which are what people wrote."""
    return _PARAMETERS.sub("[parameters: hidden]", text)


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    fields = getattr(record, FIELDS, None)
    return {name: value for name, value in fields.items() if value != ""} if isinstance(fields, dict) else {}
