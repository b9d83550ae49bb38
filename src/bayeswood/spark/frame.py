"""What a Spark data frame holds, in this library's words."""

import re
from collections.abc import Sequence
from typing import Any

from bayeswood.distributed.files.column_roles import choose_roles
from bayeswood.distributed.files.file_plan import Source
from bayeswood.errors import BayeswoodError, DataTypeError

# Spark's names of types, and Arrow's of what they become.
_TYPES = {
    "float": "float",
    "double": "double",
    "tinyint": "int8",
    "smallint": "int16",
    "int": "int32",
    "bigint": "int64",
    "boolean": "bool",
    "string": "string",
}
_WHOLE = ("tinyint", "smallint", "int", "bigint")


def arrow_type(kind: str, column: str, owner: str) -> str:
    """Arrow's name for a type of Spark.

    Parameters
    ----------
    kind : str
        As Spark spells it.
    column : str
        Column of that type, for the errors.
    owner : str
        Who reads it, for the errors.

    Examples
    --------
    >>> arrow_type("bigint", "count", "fit"), arrow_type("decimal(9,2)", "price", "fit")
    ('int64', 'decimal128(9, 2)')
    """
    if kind in _TYPES:
        return _TYPES[kind]
    if kind.startswith(("varchar", "char")):
        return "string"
    decimal = re.fullmatch(r"decimal\((\d+),\s*(\d+)\)", kind)
    if decimal:
        return f"decimal128({decimal.group(1)}, {decimal.group(2)})"
    raise DataTypeError(
        f"Column {column!r} of the data frame holds values of type {kind}, which {owner} cannot "
        "use. Cast it to a number, a boolean or a string, or leave it out of 'features'."
    )


def quoted(name: str) -> str:
    """A column's name as Spark reads it, dots and all.

    Examples
    --------
    >>> quoted("a.b")
    '`a.b`'
    """
    return "`" + name.replace("`", "``") + "`"


def need_frame(df: Any, owner: str) -> None:
    """Refuse what is not a data frame of a Spark that is new enough."""
    if not type(df).__module__.startswith("pyspark.sql"):
        raise DataTypeError(
            f"The 'df' parameter of {owner} must be a Spark DataFrame. Got an object of type "
            f"{type(df).__name__} instead."
        )
    if not hasattr(df, "repartitionById"):
        raise BayeswoodError(f"{owner} needs Spark 4.1 or newer: pip install 'bayeswood[spark]'")


def spark_types(df: Any, owner: str) -> dict[str, str]:
    """Types of the columns, as Spark spells them."""
    types = dict(df.dtypes)
    if len(types) < len(df.columns):
        repeated = sorted({name for name in df.columns if df.columns.count(name) > 1})
        raise BayeswoodError(f"The data frame of {owner} has two columns {repeated[0]!r}.")
    return types


def frame_source(
    df: Any,
    target: str | Sequence[str],
    row_id: str,
    features: Sequence[str] | None,
    weight: str | None,
    categorical_features: Any,
    owner: str,
) -> Source:
    """Give every column its role and check its type; no row is read.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        The rows.
    target, features, weight, categorical_features
        As in `choose_roles`.
    row_id : str
        Column of whole numbers that name the rows.
    owner : str
        Who reads them, for the errors.
    """
    types = spark_types(df, owner)
    if types.get(row_id) not in _WHOLE:
        found = f"values of type {types[row_id]}" if row_id in types else "no such column"
        raise DataTypeError(
            f"The 'row_id' parameter of {owner} must name a column of whole numbers, a different "
            f"one in each row. Got {row_id!r} instead, and there is {found}."
        )
    known = [name for name in types if name != row_id]
    roles = choose_roles(known, target, features, weight, categorical_features, owner)
    kinds = {name: arrow_type(types[name], name, owner) for name in roles.columns}
    return Source((), roles, kinds)
