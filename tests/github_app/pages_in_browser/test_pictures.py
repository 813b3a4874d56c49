"""The pictures of the docs can be taken anew; where they cannot, the script says what is missing."""

from pathlib import Path

import pytest

from tests.github_app.pages_in_browser import pictures
from tests.github_app.pages_in_browser.browser import BrowserMissing, opened

pytestmark = pytest.mark.timeout(1800)


def test_the_script_takes_each_picture_and_none_is_large(tmp_path: Path) -> None:
    try:
        with opened(tmp_path / "profile", tmp_path):
            pass
    except BrowserMissing as missing:
        pytest.skip(str(missing))
    assert pictures.main(tmp_path / "pictures") == 0
    taken = sorted((tmp_path / "pictures").iterdir())
    assert [path.stem for path in taken] == sorted(pictures.NAMES)
    assert [path.name for path in taken if path.read_bytes()[8:12] != b"WEBP"] == []


def test_without_a_browser_the_script_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert pictures.main(tmp_path / "pictures") == 1
    assert "apt-get install chromium chromium-driver" in capsys.readouterr().err
    assert not (tmp_path / "pictures").exists()
