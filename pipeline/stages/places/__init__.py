"""Stage `places`: rank the files of the repository by how probably the issue is about them, and say what in them it means."""
