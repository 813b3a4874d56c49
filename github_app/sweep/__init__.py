"""Find and process the events that the App missed while it was down."""
