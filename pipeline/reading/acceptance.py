"""Acceptance criteria: what stands in a section that says so, item by item. No other list is one."""

import re
from collections.abc import Iterable, Iterator

from pipeline.domain.issue import Quotation, SectionRole
from pipeline.reading.sections import Stretch, plain_prose
from pipeline.reading.templates import line_key

ROLES = frozenset({SectionRole.ACCEPTANCE, SectionRole.EXPECTED})
MOST_CRITERIA = 20
_LONGEST = 400
_CODE_SIGNS = re.compile(r"`+")


def find_acceptance(text: str, stretches: Iterable[Stretch]) -> Iterator[Quotation]:
    """The items and paragraphs of those sections, as they are written. `text` is what the stretches are of."""
    for stretch in stretches:
        if stretch.role not in ROLES:
            continue
        for start, end in stretch.items:
            quote = text[start:end].strip()
            criterion = line_key(plain_prose(" ".join(map(line_key, quote.split("\n")))))
            if not any(sign.isalnum() for sign in criterion) or criterion.endswith((":", "：")):
                continue  # a line that ends with a colon leads to an example
            if len(criterion) <= _LONGEST:
                yield Quotation(text=_CODE_SIGNS.sub("`", criterion), quote=quote)
