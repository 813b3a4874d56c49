"""Stage `snapshot`: the ticket as it was labelled and the code as it was checked out, frozen for the whole run."""
