"""What a store such as skops keeps of a fitted estimator: its model file.

skops asks an object for its state and stores that without pickle. The state here is the bytes of
the model file, so a store need trust one class, and what it loads passes every check of a model
file. Pickle and `copy` take all attributes, as of any estimator.
"""

from copyreg import __newobj__ as new_object  # type: ignore[attr-defined]
from io import BytesIO
from typing import Any

_KEY = "model_file"


class FileState:
    """Makes the model file the state of an estimator that has `save` and `_read_file`."""

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        """For pickle and `copy`."""
        return new_object, (type(self),), self._attributes()

    def _attributes(self) -> dict[str, Any]:
        """All that a copy needs."""
        every: Any = super().__getstate__()
        return dict(every)

    def __getstate__(self) -> dict[str, Any]:
        """For others: the model file, or the parameters of what is not fitted."""
        if not self.__sklearn_is_fitted__():  # type: ignore[attr-defined]
            return self._attributes()
        stream = BytesIO()
        self.save(stream)  # type: ignore[attr-defined]
        return {_KEY: stream.getvalue()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take either state over; a model file is checked."""
        if set(state) == {_KEY}:
            state = self._read_file(BytesIO(state[_KEY])).__dict__  # type: ignore[attr-defined]
        super().__setstate__(state)  # type: ignore[misc]
