"""What was missed while nobody listened is looked for and taken up."""
