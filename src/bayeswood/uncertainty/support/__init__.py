"""How well a row is surrounded by training rows: `sample` to `coordinates` to `views` to `support`.

- `row_sample`: the training rows that are kept.
- `coordinates`: columns on one scale, on which gaps keep their width.
- `views`: which columns are looked at together.
- `row_support`: distances to the nearest rows, calibrated by leaving rows out.
"""
