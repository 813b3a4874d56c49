"""Places: which files an issue is probably about, ranked by a small trained model, each with reasons that a person can check."""
