"""Columns of data frames, and rows on their way between Spark's partitions; no Spark is needed."""

import numpy as np
import pytest

import bayeswood.spark
from bayeswood import BayeswoodError, EmpiricalBayesianForestRegressor
from bayeswood.distributed.files.encoding import Rows
from bayeswood.errors import DataTypeError
from bayeswood.spark.frame import arrow_type, frame_source
from bayeswood.spark.stages import Packing


class Frame:
    """As much of a data frame as is looked at before rows are read."""

    def __init__(self, **types):
        self.dtypes = list(types.items())
        self.columns = list(types)


FRAME = {"id": "bigint", "x": "float", "word": "string", "y": "double"}


def source(frame, row_id="id", **roles):
    given = {"features": None, "weight": None, "categorical_features": "from_dtype", **roles}
    return frame_source(frame, "y", row_id, owner="fit", **given)


def test_the_id_is_no_feature():
    found = source(Frame(**FRAME))
    assert found.roles.features == ("x", "word")
    assert found.types == {"x": "float", "word": "string", "y": "double"}


@pytest.mark.parametrize(
    ("types", "row_id", "words"),
    [
        (FRAME, "number", "'row_id' parameter of fit .* there is no such column"),
        (FRAME, "x", "'row_id' parameter of fit .* values of type float"),
        ({**FRAME, "when": "timestamp"}, "id", "'when' .* type timestamp, which fit cannot use"),
    ],
)
def test_columns_that_cannot_be_used_are_named(types, row_id, words):
    with pytest.raises(DataTypeError, match=words):
        source(Frame(**types), row_id)


def test_two_columns_of_one_name_are_refused():
    frame = Frame(**FRAME)
    frame.columns.append("x")
    with pytest.raises(BayeswoodError, match="two columns 'x'"):
        source(frame)


def test_text_of_bounded_length_is_text():
    assert arrow_type("varchar(20)", "word", "fit") == "string"


@pytest.mark.parametrize("call", [bayeswood.spark.fit, bayeswood.spark.transform])
def test_what_is_no_data_frame_is_refused(call):
    forest = EmpiricalBayesianForestRegressor()
    roles = {"target": "y", "row_id": "id"} if call is bayeswood.spark.fit else {}
    with pytest.raises(
        DataTypeError, match=r"must be a Spark DataFrame. Got an object of type str"
    ):
        call("rows", forest, **roles)


@pytest.mark.parametrize("of_classes", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_packed_rows_come_back_in_the_order_of_ids(of_classes, weighted, rng):
    kinds = ("<f4", "<f8", "<i4") if of_classes else ("<f4", "<f8", "<f4", "<f8")
    packing = Packing((*kinds, *(["<f8"] if weighted else [])), 2, 1 if of_classes else 2, weighted)
    X = rng.standard_normal((50, 2))
    X[:, 0] = X[:, 0].astype(np.float32)
    X[3, 0] = np.nan
    y = rng.integers(0, 9, 50).astype(np.int32) if of_classes else rng.random((50, 2))
    if not of_classes:
        y[:, 0] = y[:, 0].astype(np.float32)
    rows = Rows(X, y, rng.random(50) if weighted else None)
    ids = rng.permutation(50) * 2**40
    packets = [packing.pack(rows.take(own), ids[own]) for own in np.array_split(np.arange(50), 3)]
    found, found_ids = packing.unpack(packets, np.float64, of_classes)
    order = np.argsort(ids)
    np.testing.assert_array_equal(found_ids, ids[order])
    np.testing.assert_array_equal(found.X, X[order])
    np.testing.assert_array_equal(found.y, y[order])
    assert found.y.dtype == y.dtype
    if weighted:
        np.testing.assert_array_equal(found.weight, rows.weight[order])
    else:
        assert found.weight is None
