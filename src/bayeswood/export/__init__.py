"""Fitted models for elsewhere: plain data, C, ONNX and treelite.

All of these take what every estimator has, a Forest and a Predictive, and none asks which method
made them. What they hold, and how near they come, is in docs/export.md.
"""

from bayeswood.export.description import Description, describe, encode
from bayeswood.export.steps import apply_steps
from bayeswood.export.to_c import to_c
from bayeswood.export.to_dict import to_dict, to_json
from bayeswood.export.to_onnx import to_onnx
from bayeswood.export.to_treelite import to_treelite

__all__ = [
    "Description",
    "apply_steps",
    "describe",
    "encode",
    "to_c",
    "to_dict",
    "to_json",
    "to_onnx",
    "to_treelite",
]
