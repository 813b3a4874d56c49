"""The worktree and its processes: the only place that edits the user's files or runs their code."""
