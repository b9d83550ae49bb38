"""What a report says, as plain data: a file for each section, all from the same rows."""
