"""What names stand for in all files together: definitions, classes, types, and who calls whom."""
