"""Models in open files and buffers, as in files by path."""

import io
import os

import numpy as np
import pytest

import bayeswood
from bayeswood.errors import BayeswoodError
from bayeswood.modelfile.streams import read_model_bytes


@pytest.fixture(scope="module")
def fitted():
    X = np.random.default_rng(0).normal(size=(60, 2))
    return bayeswood.RandomForestRegressor(4, random_state=0).fit(X, X[:, 0]), X


def test_a_stream_holds_what_a_file_holds(fitted, tmp_path):
    forest, X = fitted
    forest.save(tmp_path / "model")
    stream = io.BytesIO()
    forest.save(stream)
    assert stream.getvalue() == (tmp_path / "model").read_bytes()
    stream.seek(0)
    np.testing.assert_array_equal(bayeswood.load(stream).predict(X), forest.predict(X))


def test_open_files_are_written_and_read_where_they_stand(fitted, tmp_path):
    forest, X = fitted
    with open(tmp_path / "two", "wb") as stream:
        stream.write(b"before")
        forest.save(stream)
        forest.save(stream)
        stream.write(b"behind")
    with open(tmp_path / "two", "rb") as stream:
        assert stream.read(6) == b"before"
        for _ in range(2):
            np.testing.assert_array_equal(bayeswood.load(stream).predict(X), forest.predict(X))
        assert stream.read() == b"behind"


class Halting(io.RawIOBase):
    """Takes and gives at most 100 bytes at a time, as a socket may; cannot seek."""

    def __init__(self, data=b""):
        self.data, self.position = bytearray(data), 0

    def writable(self):
        return True

    def readable(self):
        return True

    def write(self, piece):
        self.data += bytes(piece[:100])
        return min(100, len(piece))

    def read(self, size=-1):
        found = bytes(self.data[self.position :][: min(size, 100)])
        self.position += len(found)
        return found


def test_streams_that_take_and_give_little_at_a_time(fitted):
    forest, X = fitted
    stream = Halting()
    forest.save(stream)
    np.testing.assert_array_equal(bayeswood.load(stream).predict(X), forest.predict(X))


def test_a_size_that_is_only_claimed_takes_no_memory(fitted):
    stream = io.BytesIO()
    fitted[0].save(stream)
    data = bytearray(stream.getvalue())
    data[16:24] = (2**62).to_bytes(8, "little")
    assert len(read_model_bytes(io.BytesIO(data)).getvalue()) == len(data)
    with pytest.raises(BayeswoodError, match="Cannot read the model file in a BytesIO"):
        bayeswood.load(io.BytesIO(data))


@pytest.mark.parametrize("data", [b"", b"BWOOD", b"not a model, but longer than a preamble is"])
def test_other_bytes_are_refused(data):
    with pytest.raises(BayeswoodError, match="Cannot read the model file"):
        bayeswood.load(io.BytesIO(data))


def test_a_missing_file_is_a_file_not_found(tmp_path):
    with pytest.raises(FileNotFoundError, match="': No such file"):
        bayeswood.load(tmp_path / "nothing.bw")
    with pytest.raises(BayeswoodError):
        bayeswood.load(tmp_path / "nothing.bw")


def test_text_streams_and_other_things_are_refused(fitted, tmp_path):
    with open(tmp_path / "text", "w") as stream, pytest.raises(TypeError, match="binary mode"):
        fitted[0].save(stream)
    for thing in (None, 3, ["model"]):
        with pytest.raises(TypeError, match="a path or a binary stream"):
            bayeswood.load(thing)
        with pytest.raises(TypeError, match="a path or a binary stream"):
            fitted[0].save(thing)


def test_a_stream_that_cannot_be_written_says_so(fitted):
    with open(os.devnull, "rb") as stream, pytest.raises(BayeswoodError, match="Cannot write"):
        fitted[0].save(stream)


def test_load_refuses_another_class_than_was_wanted(fitted, tmp_path):
    wanted = type(fitted[0])
    fitted[0].save(tmp_path / "model")
    assert isinstance(bayeswood.load(tmp_path / "model", wanted), wanted)
    with pytest.raises(BayeswoodError, match="holds a RandomForestRegressor where BARTRegressor"):
        bayeswood.load(tmp_path / "model", bayeswood.BARTRegressor)
