"""Signs of life, and what an operator asks of the open conversations."""
