"""The meanings of names in all files together: definitions, classes, types, and who calls whom."""
