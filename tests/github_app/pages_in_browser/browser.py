"""A headless Chromium, and what a person sees and clicks on in it."""

import base64
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selenium.webdriver import Chrome
    from selenium.webdriver.remote.webelement import WebElement

PATIENCE = 300
"""Seconds to wait for something to appear."""

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync --disable-default-apps --disable-extensions --hide-scrollbars"
    " --no-proxy-server"
).split()


class BrowserMissing(Exception):
    """chromium or chromedriver is missing: apt-get install chromium chromium-driver"""


def _seen(browser: "Chrome", css: str, text: str) -> "WebElement | None":
    """The first visible element that fits and holds a text."""
    elements = browser.find_elements("css selector", css)
    return next((element for element in elements if element.is_displayed() and text in element.text), None)


@dataclass
class Page:
    """What a person sees and clicks on. Pictures go to `pictures`."""

    browser: "Chrome"
    pictures: Path

    def open(self, address: str) -> None:
        self.browser.get(address)

    def find(self, css: str, text: str = "") -> "WebElement":
        """The first visible element that fits and holds a text, as soon as there is one."""
        return self.wait(lambda browser: _seen(browser, css, text), f"{css} with {text!r}")

    def click(self, css: str, text: str = "") -> None:
        """Click on it as soon as it is there, again if the page replaces it in between: a click on what is gone does nothing."""

        def click(browser: "Chrome") -> "WebElement | None":
            element = _seen(browser, css, text)
            if element is not None:
                element.click()
            return element

        self.wait(click, f"{css} with {text!r}")

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

    def picture(self, name: str, *, of: str = "html", width: int = 1000, height: int | None = None) -> Path:
        """Take a picture of the whole page, or of the first element that fits, and of its first `height` pixels."""
        self._resize(width, 400)
        self._resize(width, max(400, int(self._box("html")["height"])))
        box = self._box(of)
        shown = min(box["height"], height or box["height"])
        clip = {"x": box["x"], "y": box["y"], "width": box["width"], "height": shown, "scale": 1}
        taken = self.browser.execute_cdp_cmd(
            "Page.captureScreenshot",
            {"format": "webp", "quality": 90, "captureBeyondViewport": True, "clip": clip},
        )
        self.pictures.mkdir(parents=True, exist_ok=True)
        path = self.pictures / f"{name}.webp"
        path.write_bytes(base64.b64decode(taken["data"]))
        return path

    def darken(self, *, dark: bool = True) -> None:
        """Show the page to somebody who prefers dark pages, or light ones."""
        feature = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})

    def complaints(self) -> list[str]:
        """What the browser's console holds: errors of scripts, and what could not be loaded."""
        return [str(entry["message"]) for entry in self.browser.get_log("browser")]

    def _resize(self, width: int, height: int) -> None:
        """Lay the page out on a screen of that size; a window of Chromium cannot be as narrow as a telephone."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def _box(self, css: str) -> dict[str, float]:
        script = (
            "const box = document.querySelector(arguments[0]).getBoundingClientRect();"
            "return {x: box.x + scrollX, y: box.y + scrollY, width: box.width, height: box.height}"
        )
        found: dict[str, float] = self.browser.execute_script(script, css)
        return found


@contextmanager
def opened(profile: Path, pictures: Path) -> Iterator[Page]:
    """A browser with a profile of its own, closed at the end.

    Raises:
        BrowserMissing: there is none on this machine.
    """
    found = _programs()
    if found is None:
        raise BrowserMissing(BrowserMissing.__doc__)
    from selenium.webdriver import Chrome, ChromeOptions, ChromeService

    binary, driver = found
    options = ChromeOptions()
    options.binary_location = binary
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = Chrome(options=options, service=ChromeService(driver))
    try:
        yield Page(browser, pictures)
    finally:
        browser.quit()


def _programs() -> tuple[str, str] | None:
    """Chromium and its driver, as Debian calls them or as Google does."""
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None
