"""One run: what it stands on, the model and agents that it opens, the graph of its stages, and its ending."""
