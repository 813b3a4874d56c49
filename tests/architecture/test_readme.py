"""The README says what is so: its picture is drawn from the definition, its files exist."""

import re
from pathlib import Path

from pipeline.definition.draw import as_mermaid
from pipeline.definition.loader import load

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_picture_is_the_definition() -> None:
    drawn = re.search(r"```mermaid\n(.*?)```", README, re.DOTALL)
    assert drawn is not None
    assert drawn[1] == as_mermaid(load("gate")), "paste the output of `askfirst plan --mermaid`"


def test_every_link_into_the_repository_leads_somewhere() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_every_test_that_the_security_page_names_is_there() -> None:
    named = set(re.findall(r"test_\w+\.py", (ROOT / "docs" / "security.md").read_text(encoding="utf-8")))
    assert named
    assert named <= {path.name for path in (ROOT / "tests").rglob("test_*.py")}
