"""The application for travel agencies."""
