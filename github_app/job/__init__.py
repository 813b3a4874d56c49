"""Without the App: the same conversation, in jobs of GitHub Actions that hold a `GITHUB_TOKEN` and nothing else."""
