"""Where a conversation is shown. GitHub Markdown is the first surface."""
