"""Style and script of the page, read as they are."""
