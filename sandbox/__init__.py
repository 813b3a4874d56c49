"""A GitHub on 127.0.0.1: state first, answers derived from it. For tests and the demo.

with Sandbox.start() as github:
orders = github.create_repository(from_directory=Path("sample"))
issue = github.open_issue(orders, "Add a dry_run flag", "to the bulk action")
github.label(issue)
github.wait_until_quiet()
"""

from sandbox.sandbox import NotQuiet, Sandbox

__all__ = ["NotQuiet", "Sandbox"]
