"""One file per verb, imported when it is asked for."""
