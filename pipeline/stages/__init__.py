"""One room per stage, named by its id. Rooms do not know each other; what prose and code have in common is `selection`."""
