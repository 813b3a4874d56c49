"""Stage `semantics`: make targets of plans that agree, ask about what they leave open, and assume the rest."""
