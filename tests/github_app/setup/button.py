"""The one click of `askfirst-app setup`, without a browser."""

import html
import re
import urllib.parse
import urllib.request


def press_button(page_url: str) -> str:
    """What a browser does on the page: post its form, and follow GitHub back."""
    with urllib.request.urlopen(page_url, timeout=60) as answer:
        page = answer.read().decode()
    action, manifest = (html.unescape(found) for found in re.findall(r'(?:action|value)="([^"]+)"', page))
    form = urllib.parse.urlencode({"manifest": manifest}).encode()
    with urllib.request.urlopen(action, form, timeout=30) as answer:
        text: str = answer.read().decode()
    return text
