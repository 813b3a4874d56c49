"""From registrations to routes: method, whole path and handler, and what was not read."""
