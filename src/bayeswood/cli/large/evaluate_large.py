"""``bayeswood evaluate`` a batch of rows at a time."""

from typing import Any

from bayeswood.cli.evaluated_rows import EvaluatedRows
from bayeswood.cli.large.large_input import large_files
from bayeswood.cli.tables.model_table import find_target
from bayeswood.distributed.files.batches import read_batches
from bayeswood.distributed.files.encoding import naming_rows
from bayeswood.distributed.predict_files import checked_files
from bayeswood.progress import rows_bar


def evaluate_large(
    data: str,
    rows: EvaluatedRows,
    estimator: Any,
    target: str | None,
    *,
    show_progress: bool,
) -> str:
    """Evaluate files a batch at a time.

    Parameters
    ----------
    data : str
        The DATA argument.
    rows : EvaluatedRows
        Takes the batches.
    estimator : fitted bayeswood estimator
    target : str or None
        The column of true values, if it was named.
    show_progress : bool
        Whether someone watches.

    Returns
    -------
    str
        The target's name.
    """
    import pyarrow as pa

    from bayeswood.table.reading.later_rows import read_as_trained

    known = list(large_files(data)[0].types)
    nothing = pa.table({name: pa.nulls(0) for name in known})
    name = find_target(nothing, estimator, target)
    files = checked_files(data, estimator.schema_, [name], "bayeswood evaluate")
    columns = [*estimator.schema_.input_names, name]
    total = sum(file.n_rows for file in files)
    with rows_bar("Evaluating", total, show=show_progress) as advance:
        for file in files:
            row = 0
            for batch in read_batches(file, columns):
                if batch.num_rows:
                    with naming_rows(file.path, row, batch.num_rows):
                        table = pa.Table.from_batches([batch])
                        rows.add(read_as_trained(table, estimator.schema_), name)
                    row += batch.num_rows
                    advance(batch.num_rows)
    return name
