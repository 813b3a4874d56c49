"""What GitHub and the surfaces announce, as events: look up the current state of what is needed. One module for each subject."""
