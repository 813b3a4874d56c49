"""Languages that are read by a query file alone: definitions, types as written, calls and imports; no routes."""
