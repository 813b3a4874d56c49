"""The version of askfirst, which the package and both programs read from here."""

from typing import Final

VERSION = "0.1.0"

FORMAT: Final = 1
"""The version of all that is stored: `run.json`, memos, markers in comments, rows of the App. A change that a program of
this version could not read raises it.
"""
