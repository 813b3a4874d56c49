"""Facts of many files become one picture: who calls whom, and which route leads where. No language is named here."""
