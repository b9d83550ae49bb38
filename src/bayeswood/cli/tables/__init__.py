"""Tables on their way in and out: options, columns, files."""
