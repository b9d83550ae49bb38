"""Who runs the tasks: this process, its children, a Dask cluster.

- `executors`: the interface, and running in place. `local_processes`, `worker`: child processes.
- `dask_futures`, `dask_worker`: Dask.
"""
