"""`askfirst` started as a user does, in a process of its own, or called in this one where nothing is lost by it."""

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from unittest.mock import patch

from pipeline.cli import run
from tests.journeys.forked import Forked

SCRIPT = Path(sys.executable).with_name("askfirst")

Command = Callable[[Sequence[str], Mapping[str, str], str], "subprocess.CompletedProcess[str]"]
"""Runs the program with arguments, an environment and standard input."""


def in_a_process(
    arguments: Sequence[str], environment: Mapping[str, str], stdin: str
) -> "subprocess.CompletedProcess[str]":
    """A process of its own, for what only a process can show: it costs a fork, and the installed script half a second."""
    process = Forked(arguments, environment, stdin)
    output, errors = process.communicate()
    return subprocess.CompletedProcess(list(arguments), process.wait(), output, errors)


def in_this_process(
    arguments: Sequence[str], environment: Mapping[str, str], stdin: str
) -> "subprocess.CompletedProcess[str]":
    """The same command line, called, with the environment and the streams that a process would have."""
    printed, said = io.StringIO(), io.StringIO()
    with (
        patch.dict(os.environ, environment, clear=True),
        patch.object(sys, "stdin", io.StringIO(stdin)),
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(said),
    ):
        code = run(list(arguments))
    return subprocess.CompletedProcess(list(arguments), code, printed.getvalue(), said.getvalue())
