"""The model file: versioned, compact, pickle-free (docs/modelfile.md)."""

from bayeswood.modelfile.read import read_model
from bayeswood.modelfile.streams import File
from bayeswood.modelfile.write import write_model

__all__ = ["File", "read_model", "write_model"]
