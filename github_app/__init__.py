"""The App: ask the author, read the reply, start the run again. It knows the pipeline only by `pipeline.contract`."""
