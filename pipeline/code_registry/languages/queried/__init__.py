"""Languages that are read by a query file alone: definitions, types as they are written, calls and imports; no routes."""
