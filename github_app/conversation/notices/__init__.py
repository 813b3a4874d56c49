"""What the App says besides the question, by subject: which notice goes with which event, and how it reads."""
