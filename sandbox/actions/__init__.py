"""GitHub Actions as far as the product uses it: the workflow file, runs, jobs on an empty disk, artifacts."""
