"""askfirst's pipeline: turn a labelled issue into a ticket, a pull request, or one decidable question."""
