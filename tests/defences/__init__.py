"""Takes the defences of docs/security.md out, one at a time, and expects a test to be red without each."""
