"""Answer other coding agents over the Model Context Protocol: `ask_first`, `places` and `explain`, on one checkout."""
