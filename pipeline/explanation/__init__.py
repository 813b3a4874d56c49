"""What a ticket's words meet in the code and why a run would ask or would not, as one document and as one page."""
