"""The words of the pipeline: ticket, issue document, places, stops and errors. Pure values; no I/O."""
