"""Packages that an export needs and bayeswood does not."""

from importlib import import_module
from types import ModuleType

from bayeswood.errors import BayeswoodError


def need(package: str, caller: str) -> ModuleType:
    """The package, or one clear line.

    Examples
    --------
    >>> need("json", "to_json").__name__
    'json'
    """
    try:
        return import_module(package)
    except ImportError:
        raise BayeswoodError(
            f"{caller} needs the package {package.split('.')[0]}, which is not installed. "
            "Run: pip install 'bayeswood[export]'"
        ) from None
