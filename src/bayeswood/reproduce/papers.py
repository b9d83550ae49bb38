"""The papers that are brought into this form, by their names."""

from importlib import import_module

from bayeswood.errors import BayeswoodError
from bayeswood.reproduce.paper import Paper

# The module of each holds its PAPER; none is imported before it is asked for.
_MODULES = {
    "lakshminarayanan-2013": "bayeswood.reproduce.lakshminarayanan_2013",
    "quadrianto-2015": "bayeswood.reproduce.quadrianto_2015",
    "schetinin-2004": "bayeswood.reproduce.schetinin_2004",
    "taddy-2015": "bayeswood.reproduce.taddy_2015",
    "tierney-lecture": "bayeswood.reproduce.tierney_lecture",
}


def paper_names() -> list[str]:
    """Names of the papers.

    Examples
    --------
    >>> "tierney-lecture" in paper_names()
    True
    """
    return sorted(_MODULES)


def find_paper(name: str) -> Paper:
    """The paper of a name.

    Parameters
    ----------
    name : str
    """
    if name not in _MODULES:
        known = ", ".join(paper_names())
        raise BayeswoodError(f"There is no paper {name!r}. There are: {known}.")
    paper: Paper = import_module(_MODULES[name]).PAPER
    return paper
