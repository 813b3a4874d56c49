"""The state of the sandbox and everything that may happen to it; knows nothing of HTTP."""
