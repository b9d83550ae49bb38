"""Whether probabilities and intervals came true.

- `calibration`: the report over both. `reliability`: probabilities against frequencies.
- `coverage`: how often intervals hold, by width. `score_parts`: scores and what they consist of.
- `frequency`: bounds on a frequency. `probability_groups`: rows of similar probability.
"""
