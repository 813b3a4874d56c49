"""What a person sees on a terminal while a run goes on, how it ended, and the reply that they type."""
