"""Tables in files: found, read in batches, encoded alike wherever they are read.

- `input_files`: which files. `file_types`, `batches`: CSV and Parquet, a batch at a time.
- `column_roles`: target, weights, features. `encoding`: batches to encoded rows.
- `file_plan`: who reads which part of which file.
"""
