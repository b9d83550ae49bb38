"""Names of a package that are imported when they are first asked for.

`import bayeswood` is then a matter of milliseconds, and a process loads the estimators it uses, not
all of them. A package lists its names twice: under ``TYPE_CHECKING`` for type checkers, and by the
modules they live in for the interpreter; `tests/unit/test_lazy_imports.py` holds both together.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def names_on_demand(
    package: str, homes: Mapping[str, Sequence[str]], submodules: Sequence[str] = ()
) -> Callable[[str], Any]:
    """A ``__getattr__`` for a package.

    Parameters
    ----------
    package : str
        Its dotted name.
    homes : mapping of str to sequence of str
        The names of each module, by the module's dotted name within the package.
    submodules : sequence of str, default=()
        Modules of the package that are attributes of it though nobody has imported them.

    Examples
    --------
    >>> get = names_on_demand("json", {"decoder": ["JSONDecoder"]})
    >>> get("JSONDecoder").__name__
    'JSONDecoder'
    """
    home_of = {name: home for home, names in homes.items() for name in names}

    def get(name: str) -> Any:
        if name in home_of:
            found = getattr(import_module(f"{package}.{home_of[name]}"), name)
        elif name in submodules:
            found = import_module(f"{package}.{name}")
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, found)
        return found

    return get
