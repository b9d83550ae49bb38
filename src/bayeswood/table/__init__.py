"""What comes in: tables, targets and weights, checked once and made ready for the core."""

from bayeswood.table.encode import fit_table, transform_row, transform_table
from bayeswood.table.groups import check_groups
from bayeswood.table.identifiers import identifiers, warn_of_identifiers
from bayeswood.table.schema import MAX_LEVELS, Column, Level, Schema
from bayeswood.table.target import (
    check_response_size,
    classes_from_plain,
    classes_to_plain,
    fit_class_target,
    fit_class_targets,
    fit_numeric_target,
)
from bayeswood.table.weights import (
    MOST_ROWS,
    check_weights,
    scale_weights,
    weight_exponent,
    whole_copies,
)

__all__ = [
    "MAX_LEVELS",
    "MOST_ROWS",
    "Column",
    "Level",
    "Schema",
    "check_groups",
    "check_response_size",
    "check_weights",
    "classes_from_plain",
    "classes_to_plain",
    "fit_class_target",
    "fit_class_targets",
    "fit_numeric_target",
    "fit_table",
    "identifiers",
    "scale_weights",
    "transform_row",
    "transform_table",
    "warn_of_identifiers",
    "weight_exponent",
    "whole_copies",
]
