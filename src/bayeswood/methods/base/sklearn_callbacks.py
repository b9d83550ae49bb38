"""scikit-learn's callback protocol, where the installed version has it.

The protocol is experimental (new in scikit-learn 1.9). A task is the growing of a chunk of the
trees: callbacks see each chunk begin and end, may ask for the estimator as it would be if fit
stopped there, and may stop the growing. Without callbacks the trees are grown in one native call.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from bayeswood.methods.base.process import only_predicts

try:
    if only_predicts():
        raise ImportError("a process that only predicts has no callbacks")
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback import with_callbacks as _with_callbacks
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in for scikit-learn's mixin where that is not to be had."""

    def _with_callbacks(method: Any) -> Any:
        """Stands in for scikit-learn's decorator where that is not to be had."""
        return method


__all__ = ["CallbackSupportMixin", "FitTasks", "with_callbacks"]

_MAX_CHUNKS = 20
_Fit = TypeVar("_Fit", bound=Callable[..., Any])


def with_callbacks(fit: _Fit) -> _Fit:
    """scikit-learn's decorator of `fit`, typed: a `fit` stays what it was."""
    return _with_callbacks(fit)  # type: ignore[no-any-return]


class FitTasks:
    """The tasks of one fit, reported to the callbacks of an estimator.

    Parameters
    ----------
    estimator : estimator
        The one being fitted.
    X, y : array-like
        Training data as the user gave them.
    **metadata : array-like or None
        What else the user gave, such as `sample_weight`.
    """

    def __init__(self, estimator: Any, X: Any, y: Any, **metadata: Any) -> None:
        self._estimator = estimator
        metadata = {name: given for name, given in metadata.items() if given is not None}
        self._about: dict[str, Any] = {"X": X, "y": y, "metadata": metadata}
        self._context: Any = None
        self._task: Any = None
        self._is_stopped = False

    def chunks(self, n_trees: int = 1) -> Iterator[tuple[int, int]]:
        """The chunks in which to grow the trees: first tree and size of each.

        `finished` is to be called at the end of each; no chunk comes after one that a callback
        ended the fit with.
        """
        sizes = self._chunk_sizes(n_trees)
        if hasattr(self._estimator, "_init_callback_context"):
            self._context = self._estimator._init_callback_context(max_subtasks=len(sizes))
            self._context.call_on_fit_task_begin(estimator=self._estimator, **self._about)
        first = 0
        for size in sizes:
            if self._context is not None:
                self._task = self._context.subcontext(task_name=f"trees from {first}")
                self._task.call_on_fit_task_begin(estimator=self._estimator, **self._about)
            yield first, size
            if self._is_stopped:
                return
            first += size

    def begin(self) -> None:
        """Announce a fit that is one chunk."""
        next(self.chunks())

    def finished(self, fitted: Callable[[], Mapping[str, Any]]) -> None:
        """Announce the end of a chunk; `fitted` gives the attributes with the trees so far."""
        if self._task is not None:
            self._is_stopped = bool(
                self._task.call_on_fit_task_end(
                    estimator=self._estimator, **self._about, reconstruction_attributes=fitted
                )
            )

    def end(self) -> None:
        """Announce the end of a fit; the estimator is fitted by now."""
        if self._context is not None:
            self._context.call_on_fit_task_end(
                estimator=self._estimator, **self._about, reconstruction_attributes={}
            )

    def _chunk_sizes(self, n_trees: int) -> list[int]:
        n_chunks = min(_MAX_CHUNKS, n_trees) if self._has_callbacks() else 1
        ends = [n_trees * (chunk + 1) // n_chunks for chunk in range(n_chunks)]
        return [end - start for start, end in zip([0, *ends], ends, strict=False)]

    def _has_callbacks(self) -> bool:
        return bool(getattr(self._estimator, "_skl_callbacks", []))
