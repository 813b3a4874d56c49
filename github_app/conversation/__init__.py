"""One conversation for one issue, without I/O: what is known, what is understood, what is said and what happens next."""
