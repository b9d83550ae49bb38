"""What bayeswood raises when it cannot use what it was given."""


class BayeswoodError(ValueError):
    """Bad input: data, a parameter or a file that cannot be used, and why."""


class DataTypeError(BayeswoodError, TypeError):
    """Data of a type that cannot be used; a `TypeError` too, as scikit-learn's users expect."""
