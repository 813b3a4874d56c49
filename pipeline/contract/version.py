"""The version of askfirst, which the package and both programs read from here, and how this copy is installed."""

import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

VERSION = "0.1.0"

FORMAT: Final = 1
"""The version of all that is stored: `run.json`, memos, markers in comments, rows of the App. A change that a program of
this version could not read raises it.
"""


def project_urls() -> dict[str, str]:
    """The addresses in the package of a release, by their names. A checkout has none."""
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        lines = metadata("askfirst").get_all("Project-URL") or ()
    except PackageNotFoundError:  # the Action copies the packages, and installs none
        return {}
    return dict(line.split(", ", 1) for line in lines)


def checkout_folder() -> "Path | None":
    """The checkout of askfirst that this program runs from; None for an installed package."""
    from pathlib import Path

    source = Path(__file__).parents[2]
    return source if (source / "pyproject.toml").is_file() else None


def install_command(extra: str = "") -> str:
    """The command that installs this copy again, with an extra: a release from the index, else from the checkout."""
    wanted = f"[{extra}]" if extra else ""
    if (source := checkout_folder()) is not None:
        return f"{sys.executable} -m pip install --editable '{source}{wanted}'"
    name = "askfirst" if project_urls() else "path/to/checkout/of/askfirst"
    return f"pip install --upgrade '{name}{wanted}'"
