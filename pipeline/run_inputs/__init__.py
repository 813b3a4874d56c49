"""Turn what a run was started with (arguments, an event file, dispatch inputs) into a ticket, answers and settings."""
