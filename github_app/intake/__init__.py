"""The door: bytes become our own words, once. After it there is no GitHub JSON."""
