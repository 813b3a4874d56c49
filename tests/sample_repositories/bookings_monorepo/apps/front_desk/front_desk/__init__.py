"""The application of the reception."""
