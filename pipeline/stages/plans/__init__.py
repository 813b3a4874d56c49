"""Stage `plans`: have a model plan the ticket two or three times from the same text, bound to what the code has."""
