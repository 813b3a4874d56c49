"""The REST side of the sandbox: one file per family of GitHub's operations, one table of routes."""
