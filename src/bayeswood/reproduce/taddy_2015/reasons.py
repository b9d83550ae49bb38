"""Why cells differ, by (part, row, column)."""

REASONS: dict[tuple[str, str, str], str] = {}
