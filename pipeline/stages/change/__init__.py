"""Stage `change`: what the rounds came to leaves the worktree as `change.json`, checked; or a person is asked."""
