"""Options of command lines, and keys of the environment, as libraries declare them."""

import pytest
from inline_snapshot import snapshot

from tests.pipeline.code_registry.registries import Built


def test_options_are_declared_by_calls_by_decorators_and_by_parameters(built: Built) -> None:
    registry = built(
        {
            "by_call.py": """
                import argparse
                def main():
                    parser = argparse.ArgumentParser()
                    parser.add_argument("-n", "--dry-run", action="store_true")
            """,
            "by_decorator.py": """
                import click
                @click.command()
                @click.option("--force/--no-force")
                def purge(force): ...
            """,
            "by_parameter.py": """
                from typing import Annotated
                import typer
                app = typer.Typer()
                @app.command("send")
                def send(
                    name: str,
                    to: str = typer.Argument("all"),
                    copies: int = 1,
                    dry_run: bool = typer.Option(False),
                    quiet: Annotated[bool, typer.Option("--silent")] = False,
                ): ...
                def helper(depth=3): ...
            """,
        }
    )
    assert [option.id for option in registry.options] == snapshot(
        [
            "option:by_call.py::main--dry-run",
            "option:by_decorator.py::purge--force",
            "option:by_decorator.py::purge--no-force",
            "option:by_parameter.py::send--copies",
            "option:by_parameter.py::send--dry-run",
            "option:by_parameter.py::send--silent",
        ]
    )


def test_an_option_of_a_sub_parser_belongs_to_the_function_that_the_parser_leads_to(built: Built) -> None:
    registry = built(
        {
            "cli.py": """
                import argparse
                def archive(arguments): ...
                def restore(arguments): ...
                def main():
                    parser = argparse.ArgumentParser()
                    parser.add_argument("--verbose")
                    commands = parser.add_subparsers()
                    command = commands.add_parser("archive")
                    command.add_argument("--older-than")
                    command.set_defaults(func=archive)
                    command = commands.add_parser("restore")
                    command.set_defaults(func=restore, quiet=True)
                    command.add_argument("--into")
            """
        }
    )
    assert [option.id for option in registry.options] == snapshot(
        [
            "option:cli.py::archive--older-than",
            "option:cli.py::main--verbose",
            "option:cli.py::restore--into",
        ]
    )


ENVALID = """
const { cleanEnv, port, str } = require("envalid");
const spec = { PORT: port(),
  SMTP_HOST: str() };
module.exports = cleanEnv(process.env, spec);
"""
ZOD = """
import { z } from "zod";
export const env = z.object({ PORT: z.coerce.number(),
  SMTP_HOST: z.string() }).parse(process.env);
"""


@pytest.mark.parametrize("source", [ENVALID, ZOD], ids=["mapping", "schema"])
def test_what_the_environment_is_checked_against_declares_its_keys(built: Built, source: str) -> None:
    settings = built({"env.js": source.strip()}).settings
    assert [(item.name, item.places[0].start_line) for item in settings] == [("PORT", 2), ("SMTP_HOST", 3)]
