"""What the App needs from outside, as protocols."""
