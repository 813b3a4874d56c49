"""Read an issue, a role, a comment and a memo artifact from GitHub. Nothing here writes."""
