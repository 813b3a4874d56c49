"""Set a repository up: which files it needs, and what is to be done on GitHub. Writes nothing by itself."""
