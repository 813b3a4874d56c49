"""The gate: whether an agent may make a call. Its rules, the call in plain form, people's verdicts, its log and what follows from that."""
