"""Runs a declared graph of stages and remembers their results; knows nothing of tickets or models."""
