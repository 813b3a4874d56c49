"""The words of the pipeline: ticket, intent, selection, stops and errors. Pure values; no I/O."""
