"""Why cells differ, by (part, row, column)."""

REASONS: dict[tuple[str, str, str], str] = {
    ("section-4-1", "a tree of the prior's", "mean nodes"): (
        "18.28 is exact. The standard deviation of a tree's nodes is 15.6, so that 18.5 is what a "
        "mean over some thousand simulated trees may be."
    ),
}
