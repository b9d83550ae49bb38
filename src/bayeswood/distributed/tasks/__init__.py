"""The tasks of a fit from files, each over a folder that all of them share.

- `tasks`: what a task is. `scan`, `route_files`, `fit_branch`: the three kinds.
- `work_folder`, `manifest`, `spill`: what lies in the folder. `memory`: what fits into memory.
"""
