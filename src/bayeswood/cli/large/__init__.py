"""Input larger than the memory limit: fitted, predicted and evaluated a piece at a time."""
