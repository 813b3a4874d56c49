"""The README and the pages of `docs/` say what is so: the picture is drawn from the definition, links lead somewhere."""

import re
from pathlib import Path

import pytest

from pipeline.definition.draw import as_mermaid
from pipeline.definition.loader import load

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / ".github" / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def text_of(*parts: str) -> str:
    return ROOT.joinpath(*parts).read_text(encoding="utf-8")


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub makes of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.casefold()).replace(" ", "-") for heading in headings}


def test_the_readme_is_one_page() -> None:
    assert len(text_of("README.md").splitlines()) <= 120


def test_the_picture_is_the_definition() -> None:
    drawing = re.search(r"```mermaid\n(.*?)```", text_of("docs", "agents.md"), re.DOTALL)
    assert drawing is not None
    assert drawing[1] == as_mermaid(load("gate")), "paste the output of `askfirst plan --mermaid`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_into_the_repository_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)", page.read_text(encoding="utf-8"))
    for path, anchor in links:
        target = page.parent / path if path else page
        assert target.exists(), path
        assert not anchor or anchor in anchors(target), f"{path}#{anchor}"


def test_every_test_that_the_security_page_names_is_there() -> None:
    names = set(re.findall(r"test_\w+\.py", text_of("docs", "security.md")))
    assert names
    assert names <= {path.name for path in (ROOT / "tests").rglob("test_*.py")}
