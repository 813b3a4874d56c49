"""One module for each event, named by it: load what is needed, ask the table, return what is to be done."""
