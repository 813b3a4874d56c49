"""The version of askfirst, which the package and both programs read from here, and how this copy is installed."""

import sys
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Final

VERSION = "0.1.0"

FORMAT: Final = 1
"""The version of all that is stored: `run.json`, memos, markers in comments, rows of the App. A change that a program of
this version could not read raises it.
"""

_SOURCE = Path(__file__).parents[2]


def project_urls() -> dict[str, str]:
    """The addresses in the package of a release, by their names. A checkout has none."""
    try:
        lines = metadata("askfirst").get_all("Project-URL") or ()
    except PackageNotFoundError:  # the Action copies the packages, and installs none
        return {}
    return dict(line.split(", ", 1) for line in lines)


def checkout_folder() -> Path | None:
    """The checkout of askfirst that this program runs from; None for an installed package."""
    return _SOURCE if (_SOURCE / "pyproject.toml").is_file() else None


def install_command(extra: str = "") -> str:
    """The command that installs this copy again, with an extra: a release from the index, else from the checkout."""
    wanted = f"[{extra}]" if extra else ""
    if checkout_folder() is not None:
        return f"{sys.executable} -m pip install --editable '{_SOURCE}{wanted}'"
    name = "askfirst" if project_urls() else "path/to/checkout/of/askfirst"
    return f"pip install --upgrade '{name}{wanted}'"
