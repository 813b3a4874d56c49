"""Stage `plans`: explorers read the code and plan the ticket, with the decisions that it leaves open."""
