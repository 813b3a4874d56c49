"""Stage `existing`: refuse to build what is there; say what is there and what is missing where it is partly there."""
