"""What the code already has: symbols, routes, fields and calls, read from the files and never by running them."""
