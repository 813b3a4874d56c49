"""Options of command lines, as argparse, click and typer declare them."""

from collections.abc import Callable, Mapping

from inline_snapshot import snapshot

from pipeline.code_registry.registry import Registry

Built = Callable[[Mapping[str, str]], Registry]


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
