"""How well a row is surrounded by training rows.

- `coordinates`: columns on one scale, on which gaps keep their width.
- `views`: which columns are looked at together.
- `row_support`: distances to the nearest rows, calibrated by leaving rows out.
"""
