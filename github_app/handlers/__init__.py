"""What GitHub and the surfaces announce, as events: look up what is needed as it stands now. One module for each subject."""
