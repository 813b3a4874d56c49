"""A model whose replies are kept in the run directory: a run that was killed asks no question twice that was answered."""

import threading

from pipeline.contract.wire import Sha256
from pipeline.llm.port import Model, ModelBehind, ModelReply, Request
from pipeline.llm.replay import Entry, digest
from pipeline.run_record.line_file import LineFile
from pipeline.run_record.redaction import Redactor


class CachingModel(ModelBehind):
    """Another model with a file of its replies. Safe to use from several threads.

    For single questions; an agent's conversation has its transcript. A reply that holds a secret is not kept, because
    what could be read back would be another one.
    """

    def __init__(self, model: Model, lines: LineFile[Entry], redactor: Redactor) -> None:
        """Read what is kept.

        Raises:
            RunDirectoryUnusable: the file cannot be read.
        """
        super().__init__(model)
        self._lines = lines
        self._redactor = redactor
        self._lock = threading.Lock()
        self._kept: dict[Sha256, ModelReply] = {
            entry.digest: entry.reply for entry in lines.read() if entry.digest is not None
        }

    def reply(self, request: Request) -> ModelReply:
        """The kept reply to exactly this question, with what it cost then; else the other model's.

        Raises:
            ModelFailed: there is no whole reply.
            RunDirectoryUnusable: it cannot be kept.
        """
        key = digest(request)
        with self._lock:
            stored_reply = self._kept.get(key)
        if stored_reply is not None:
            return stored_reply
        reply = self._model.reply(request)
        entry = Entry(purpose=request.purpose, turn=request.turn_number, digest=key, reply=reply)
        if not self._redactor.would_alter(entry.model_dump_json()):
            self._lines.append(entry)
        return reply
