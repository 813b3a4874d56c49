"""`askfirst mcp`: other coding agents ask here before they write code, over the Model Context Protocol."""

import os
import tempfile
from pathlib import Path

import click

from pipeline.contract.exit_codes import ExitCode
from pipeline.options import repository_option


@click.command("mcp", epilog="Example: claude mcp add askfirst -- askfirst mcp --repository .")
@repository_option("The checkout to work on.")
def command(repository: Path) -> ExitCode:
    """Serve an MCP client on standard input and output: the tools ask_first, places and explain."""
    from pipeline.mcp_server.server import serve

    with tempfile.TemporaryDirectory(prefix="askfirst-mcp-") as folder:
        serve(repository, Path(folder), dict(os.environ))
    return ExitCode.DONE
