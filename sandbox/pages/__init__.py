"""Pages on which a person reads issues, labels them, replies, and looks at runs and pull requests."""
