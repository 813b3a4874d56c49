"""Stages `plans` and `semantics`: explorers plan the change; plans become targets, one question, and assumptions."""
