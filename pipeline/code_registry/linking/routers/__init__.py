"""Routers and what they are mounted at: on which ways each is reached, and with which prefix."""
