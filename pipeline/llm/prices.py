"""Reads price lists: the one that ships, and a repository's own, which goes first model by model."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path

from pipeline.domain.errors import PipelineError
from pipeline.domain.models import ClosedModel
from pipeline.domain.yaml_file import YamlFileInvalid, read_yaml_file
from pipeline.llm.usage import Price, PriceList

SHIPPED_PRICES = Path(__file__).parent / "prices.yml"

IN_A_REGION = Decimal("1.1")
"""What Bedrock and Google Cloud charge where a request stays in a region, over the price where it may go anywhere:
https://platform.claude.com/docs/en/about-claude/pricing, read 2026-10-24."""

_BEDROCK = re.compile(
    r"(arn:aws[a-z-]*:bedrock:[^/]*:(inference-profile|foundation-model)/)?"
    r"((?P<where>[a-z-]+)\.)?anthropic\.(?P<model>claude-[a-z0-9-]+?)(-\d{8})?(-v\d+(:\d+)?)?"
)
"""`global.anthropic.claude-sonnet-5-5`, `anthropic.claude-sonnet-4-5-20250929-v1:0`, or an ARN that ends in such a name:
https://platform.claude.com/docs/en/build-with-claude/claude-on-amazon-bedrock"""

_VERTEX = re.compile(r"(?P<model>claude-[a-z0-9-]+)@[a-z0-9]+")
"""`claude-sonnet-4-5@20250929`: https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai"""


class PricesInvalid(PipelineError):
    """A price list that cannot be read, or has mistakes."""


class PriceFile(ClosedModel):
    """The whole file: prices in dollars for a million tokens, by the name of the model."""

    models: dict[str, Price]


class Prices(Mapping[str, Price]):
    """Prices by the name that is sent to a provider, in whichever way the provider writes it.

    `own` prices hold for exactly the name under which they stand. `shipped` ones are told by model, and `premium` is the
    factor that the provider's address adds to them.
    """

    def __init__(
        self, shipped_prices: PriceList, own_prices: PriceList | None = None, premium: Decimal = Decimal(1)
    ) -> None:
        self._shipped = shipped_prices
        self._own = own_prices or {}
        self._premium = premium

    def with_premium(self, premium: Decimal) -> "Prices":
        """The same prices at an address whose factor this is."""
        return Prices(self._shipped, self._own, premium)

    def __getitem__(self, model: str) -> Price:
        """The price of a model.

        Raises:
            KeyError: the price is not known.
        """
        if model in self._own:
            return self._own[model]
        name, factor = _model_of(model)
        return self._shipped[name].times(factor * self._premium)

    def __iter__(self) -> Iterator[str]:
        """All names under which a price stands."""
        return iter(dict.fromkeys((*self._own, *self._shipped)))

    def __len__(self) -> int:
        """How many there are."""
        return len(list(iter(self)))


def load_prices(path: Path | None = None) -> Prices:
    """The shipped prices, overridden model by model by those of `path`.

    Raises:
        PricesInvalid: a file is missing or has mistakes.
    """
    return Prices(_read(SHIPPED_PRICES), _read(path) if path is not None else None)


def _model_of(name: str) -> tuple[str, Decimal]:
    """Which model a provider means by a name, and by which factor its price differs there."""
    if (match := _BEDROCK.fullmatch(name)) is not None:
        return match["model"], Decimal(1) if match["where"] == "global" else IN_A_REGION
    if (match := _VERTEX.fullmatch(name)) is not None:
        return match["model"], Decimal(1)
    return name, Decimal(1)


def _read(path: Path) -> PriceList:
    try:
        return read_yaml_file(path, PriceFile)[0].models
    except (OSError, YamlFileInvalid) as error:
        why = error.listed(path.name) if isinstance(error, YamlFileInvalid) else error.strerror or str(error)
        raise PricesInvalid(
            f"{path} is not a price list",
            why=why,
            what_to_do="Write it like this, in dollars per million tokens:\n"
            "models:\n"
            "  my-model: {input: 1, output: 5, cache_write: 1.25, cache_read: 0.1, source: my contract, as_of: 2026-01-31}",
        ) from error
