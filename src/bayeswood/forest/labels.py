"""The names a forest's numbers stand for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Labels:
    """Names of features, of category levels and of classes.

    Parameters
    ----------
    feature_names : tuple of str
        One name per feature.
    levels : tuple of tuple
        For each feature the levels in the order of their numbers; empty for a numeric feature.
    class_names : tuple of str
        One name per class; empty for a regression forest.
    """

    feature_names: tuple[str, ...]
    levels: tuple[tuple[Any, ...], ...] = ()
    class_names: tuple[str, ...] = ()

    @classmethod
    def numbered(cls, n_features: int) -> "Labels":
        """Features called ``x0``, ``x1``, ...; levels and classes by their numbers."""
        return cls(tuple(f"x{i}" for i in range(n_features)))

    def replaced(
        self,
        feature_names: Sequence[str] | None,
        class_names: Sequence[Any] | None,
        levels: Sequence[Sequence[Any]] | None,
    ) -> "Labels":
        """The same labels with those that are not None exchanged."""
        return Labels(
            self.feature_names if feature_names is None else tuple(map(str, feature_names)),
            self.levels if levels is None else tuple(map(tuple, levels)),
            self.class_names if class_names is None else tuple(map(str, class_names)),
        )

    def level(self, feature_idx: int, level_idx: int) -> str:
        """Name of one level of a category feature; its number if it has no name."""
        if feature_idx < len(self.levels) and level_idx < len(self.levels[feature_idx]):
            return str(self.levels[feature_idx][level_idx])
        return str(level_idx)

    def class_name(self, class_idx: int) -> str:
        """Name of one class; its number if it has no name."""
        if class_idx < len(self.class_names):
            return self.class_names[class_idx]
        return str(class_idx)
