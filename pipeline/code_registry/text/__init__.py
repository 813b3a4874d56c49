"""The text of a repository at a commit, searchable by terms, and what its history says of each file."""
