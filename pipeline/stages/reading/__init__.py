"""Stage `reading`: the issue as a document, read by rules, and by a model where there is one."""
