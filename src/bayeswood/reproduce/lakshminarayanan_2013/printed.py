"""The printed numbers; all others of the paper are points of its figures."""

# Section 4: rows, features and classes; section 4.1.2: parts of madelon.
SIZES = {
    "magic04": {"N": 19020, "D": 10, "K": 2},
    "pendigits": {"N": 10992, "D": 16, "K": 10},
    "madelon": {"train": 2000, "test": 600, "D": 500, "K": 2},
}
RELEVANT = 20  # features of madelon
NAMES = {"magic04": "magic-04", "pendigits": "pen-digits", "madelon": "madelon"}
# "approximately 70% and 30%" of magic-04, in %.
PARTS = {"train": 70.0, "test": 30.0}
# Of Chipman and others' data, section 4.
WISCONSIN = 683
# Section 4.1: a tree of the prior, in the mean.
PRIOR_DEPTH, PRIOR_NODES = 5.1, 18.5
MOST_STAGES = 5000
# Section 4.3: how many times as long as CART.
CART_FACTOR = (50.0, 100.0)

# Of the authors' scripts, run again once on pen-digits: CPU seconds, accuracy in %, log p.
SCRIPTS = {
    ("prior", 100, 5): (20.0, 90.7, -0.364),
    ("prior", 500, 5): (91.0, 93.0, -0.260),
    ("optimal", 10, 1): (50.0, 90.7, -0.398),
    ("CART gini", 10, 1): (None, 89.8, -0.414),
}
