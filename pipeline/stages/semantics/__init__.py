"""Stage `semantics`: compare the plans of a ticket, and ask where they read it in different ways."""
