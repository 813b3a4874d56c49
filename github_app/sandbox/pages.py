"""Pages."""

from flask import Flask

from github_app.sandbox.documents import Addresses
from github_app.sandbox.runs import Runs
from github_app.sandbox.world import World


def add_pages(app: Flask, world: World, runs: Runs, addresses: Addresses) -> None:
    """Add pages."""
