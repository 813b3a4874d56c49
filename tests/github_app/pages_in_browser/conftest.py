"""A headless Chromium, and a sandbox served by the real App, whose runs execute the real pipeline."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from github_app.sandbox import Sandbox
from github_app.sandbox.actions.job import building_program
from github_app.sandbox.demo import BODY, SAMPLE, TITLE, replies_for
from github_app.sandbox.served_app import ServedApp

if TYPE_CHECKING:
    from selenium.webdriver import Chrome
    from selenium.webdriver.remote.webelement import WebElement

PATIENCE = 300
"""Seconds that a test waits for something to appear."""

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync --disable-default-apps --disable-extensions --hide-scrollbars"
    " --no-proxy-server"
).split()


def programs() -> tuple[str, str] | None:
    """Chromium and its driver, as Debian calls them or as Google does."""
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


@dataclass
class Page:
    """What a person sees and clicks on. Pictures go to `pictures`, numbered."""

    browser: "Chrome"
    pictures: Path

    def open(self, address: str) -> None:
        self.browser.get(address)

    def find(self, css: str, text: str = "") -> "WebElement":
        """The first visible element that fits and holds a text, as soon as there is one."""

        def look(browser: "Chrome") -> "WebElement | None":
            found = browser.find_elements("css selector", css)
            return next((one for one in found if one.is_displayed() and text in one.text), None)

        return self.wait(look, f"{css} with {text!r}")

    def wait(self, until: Callable[["Chrome"], "WebElement | None"], what: str) -> "WebElement":
        from selenium.common.exceptions import StaleElementReferenceException
        from selenium.webdriver.support.wait import WebDriverWait

        # The page replaces its elements when something new came in.
        waiting = WebDriverWait(
            self.browser, PATIENCE, 0.2, ignored_exceptions=[StaleElementReferenceException]
        )
        found = waiting.until(until, f"never seen: {what}")
        assert found
        return found

    def picture(self, name: str, width: int = 1000) -> None:
        """Take a picture of the whole page."""
        self.browser.set_window_size(width, 400)
        height = self.browser.execute_script("return document.documentElement.scrollHeight")
        self.browser.set_window_size(width, max(400, int(height) + 150))
        self.pictures.mkdir(exist_ok=True)
        self.browser.save_screenshot(str(self.pictures / f"{name}.png"))

    def complaints(self) -> list[str]:
        """What the browser's console holds: errors of scripts, and what could not be loaded."""
        return [str(entry["message"]) for entry in self.browser.get_log("browser")]


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    found = programs()
    if found is None:
        pytest.skip("chromium or chromedriver is missing: apt-get install chromium chromium-driver")
    from selenium.webdriver import Chrome, ChromeOptions, ChromeService

    binary, driver = found
    options = ChromeOptions()
    options.binary_location = binary
    for flag in (*FLAGS, f"--user-data-dir={tmp_path / 'profile'}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = Chrome(options=options, service=ChromeService(driver))
    try:
        yield Page(browser, tmp_path / "pictures")
    finally:
        browser.quit()


@dataclass
class Place:
    """An issue on a served sandbox."""

    github: Sandbox
    app: ServedApp
    address: str


@pytest.fixture
def issue(tmp_path: Path) -> Iterator[Place]:
    folder = tmp_path / "app"
    folder.mkdir()
    with Sandbox.start(program=building_program(replies_for)) as github, ServedApp(github, folder) as app:
        parcels = github.create_repository("parcels", owner="acme", from_directory=SAMPLE)
        yield Place(github, app, github.url_of(github.open_issue(parcels, TITLE, BODY)))
