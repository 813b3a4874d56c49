"""Where values come from: through names, imports, parameters, loops and strings that are put together."""
