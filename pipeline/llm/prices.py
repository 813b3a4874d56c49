"""Reads price lists: the one that ships, with single models replaced by a file of one's own."""

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pipeline.domain.errors import PipelineError
from pipeline.llm.usage import Price, PriceList, Rates

SHIPPED = Path(__file__).parent / "prices.yml"


class PricesInvalid(PipelineError):
    """A price list that cannot be read, or has mistakes."""


_Rate = Annotated[Decimal, Field(ge=0)]


class _Rates(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    input: _Rate
    output: _Rate
    cache_write: _Rate
    cache_read: _Rate

    def rates(self) -> Rates:
        return Rates(self.input, self.output, self.cache_write, self.cache_read)


class _Long(_Rates):
    above: Annotated[int, Field(gt=0)]


class _Price(_Rates):
    source: Annotated[str, Field(min_length=1)]
    as_of: date
    long: _Long | None = None

    def price(self) -> Price:
        return Price(
            self.rates(),
            self.source,
            self.as_of.isoformat(),
            long=self.long.rates() if self.long else None,
            long_above=self.long.above if self.long else None,
        )


class _List(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    models: dict[str, _Price]


def load_prices(own: Path | None = None) -> PriceList:
    """The shipped prices, overridden model by model by those of `own`.

    Raises:
        PricesInvalid: a file is missing or has mistakes.
    """
    prices = dict(_read(SHIPPED))
    if own is not None:
        prices.update(_read(own))
    return prices


def _read(path: Path) -> PriceList:
    try:
        listed = _List.model_validate(yaml.safe_load(path.read_bytes()))
    except OSError as error:
        raise _invalid(path, error.strerror or str(error)) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise _invalid(path, f"not YAML: {error}") from error
    except ValidationError as error:
        found = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
        raise _invalid(path, "\n".join(found)) from error
    return {name: entry.price() for name, entry in listed.models.items()}


def _invalid(path: Path, why: str) -> PricesInvalid:
    return PricesInvalid(
        f"{path} is not a price list",
        why=why,
        what_to_do="Write it like this, in dollars per million tokens:\n"
        "models:\n"
        "  my-model: {input: 1, output: 5, cache_write: 1.25, cache_read: 0.1, source: my contract, as_of: 2026-01-31}",
    )
