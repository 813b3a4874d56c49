"""Opens the language model of a run, once for all who ask it: stages with one question, and agents."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from pipeline.run.run import Run
from pipeline.stages.context import RunInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.llm.port import Model
    from pipeline.llm.usage import Ledger

MODEL_VARIABLES = ("ASKFIRST_PROVIDER", "ANTHROPIC_API_KEY")
"""Who is asked, if it is not Anthropic, and the key for Anthropic. One of them has to be set for a model to be asked."""


@dataclass(frozen=True)
class RunModel:
    """The model of a run.

    `model` is for agents, whose conversations are kept in transcripts; `asked_once` for single questions, and keeps
    their replies itself. `name` is sent to the provider unless an agent names another model. `holds` says whether there
    can be replies for a kind of stage: a file of replies has some for those it was made for.
    """

    model: "Model"
    asked_once: "Model"
    ledger: "Ledger"
    name: str
    holds: "Callable[[str], bool]"

    @property
    def in_words(self) -> str:
        """Who replies, for `run.json` and the summary: a name alone stands for replies that a model gives in this run."""
        return self.name if not self.is_a_file else f"{self.name} ({self.model.origin.value} replies)"

    @property
    def is_a_file(self) -> bool:
        """Whether the replies are not those of a model in this run, which must be said."""
        from pipeline.llm.port import Origin

        return self.model.origin is not Origin.MODEL

    @property
    def digest(self) -> list[str]:
        """What a stored result of a stage that asks once depends on besides its inputs."""
        return [self.name, self.model.origin.value]


def open_model(run: Run) -> RunModel | None:
    """The model, or None where no stage asks one, or there is neither a key nor a file of replies.

    Raises:
        ProviderUnusable: the provider is unknown, its libraries are missing, or it has no default model.
        ModelKeyMissing: there is no key, and no user is signed in.
        ConfigurationInvalid, PricesInvalid: a file of the repository has mistakes.
        RepliesUnusable: the file of replies is missing or damaged.
    """
    replies, directory = run.request.replies, run.directory
    if not any(stage.kind.reads & {RunInput.MODEL, RunInput.AGENT} for stage in run.definition.every_stage):
        return None
    if replies.replay is None and not is_model_chosen(run.environment):
        return None
    from pydantic import TypeAdapter

    from pipeline.llm.caching_model import CachingModel
    from pipeline.llm.client import ModelClient
    from pipeline.llm.metered import MeteredModel, while_arriving
    from pipeline.llm.replay import Entry, RecordingModel, ReplayModel
    from pipeline.llm.services import service_of
    from pipeline.llm.usage import Ledger
    from pipeline.run_record.line_file import LineFile

    configuration, prices = run.settings.configuration, run.settings.prices
    name = configuration.model
    if replies.replay is not None:
        replay = ReplayModel(replies.replay)
        ledger = Ledger(prices)
        metered_model = MeteredModel(replay, ledger, run.progress.reply)
        return RunModel(metered_model, metered_model, ledger, name, replay.holds)
    service, note = service_of(run.environment), partial(run.note, None)
    if "model" not in configuration.model_fields_set:
        service.refuse_default(name)
    ledger = Ledger(prices.with_premium(service.premium), note)
    client = ModelClient(service, arriving=while_arriving(ledger, run.progress.reply), note=note)
    run.cleanup.callback(client.close)
    model: Model = client
    if replies.record is not None:
        recording = RecordingModel(model, replies.record, directory.redactor)
        run.cleanup.callback(recording.close)
        model = recording
    lines = LineFile(
        directory.path / "transcripts" / "questions.jsonl", TypeAdapter(Entry), directory.redactor
    )
    return RunModel(
        MeteredModel(model, ledger, run.progress.reply),
        MeteredModel(CachingModel(model, lines, directory.redactor), ledger, run.progress.reply),
        ledger,
        name,
        lambda _stage: True,
    )


def is_model_chosen(environment: Mapping[str, str]) -> bool:
    """Whether a model can be asked: a provider is named, or there is a key for the one that needs no naming."""
    provider, key = (environment.get(name, "").strip() for name in MODEL_VARIABLES)
    return provider not in ("", "anthropic") or bool(key)
