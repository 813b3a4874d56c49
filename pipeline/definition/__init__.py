"""A pipeline definition: read from YAML, checked whole before anything runs, and drawn."""
