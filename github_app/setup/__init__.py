"""Register the App in one click, and check that what was registered fits what the operator has set."""
