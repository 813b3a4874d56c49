"""What a run leaves behind: its journal, its directory and its summary, all of it free of secrets."""
