"""A headless Chromium, and a sandbox served by the real App, whose runs execute the real pipeline."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.github_app.pages_in_browser.browser import BrowserMissing, Page, opened
from tests.github_app.pages_in_browser.served_issue import Place, served_issue


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    try:
        with opened(tmp_path / "profile", tmp_path / "pictures") as page:
            yield page
    except BrowserMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture
def issue(tmp_path: Path) -> Iterator[Place]:
    with served_issue(tmp_path / "app") as place:
        yield place
