"""Books of a small seed bank."""
