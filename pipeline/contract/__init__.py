"""What the pipeline and the App say to each other: exit codes, artifacts and the JSON they hold. Nothing else is shared."""
