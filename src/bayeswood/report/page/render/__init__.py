"""From plain data to HTML: a file for each section, and the markup that they are made of."""
