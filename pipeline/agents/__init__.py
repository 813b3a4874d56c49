"""The agents: what one is, and the Markdown files that ship in `templates/`."""
