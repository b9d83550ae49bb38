"""What the paper prints, as printed; behind ± stands 2σ."""

from bayeswood.reproduce.verdict import Reading

# Printed over five folds (section 3). For the Bayesian trees the paper does not say over what.
N_FOLDS = 5
TENTHS = Reading(0.1, "two sd", N_FOLDS)

SETS = {
    "ionosphere": "Ionosphere",
    "breast_cancer_wisconsin": "Wisconsin",
    "image_segmentation": "Image",
    "house_votes_84": "Votes",
    "sonar": "Sonar",
    "vehicle": "Vehicle",
    "pima_diabetes": "Pima",
}

# Classes, variables, training and test rows, accuracy of the best single tree and its 2σ.
TABLE_2 = {
    "ionosphere": (2, 33, 200, 151, (88.8, 8.0)),
    "breast_cancer_wisconsin": (2, 9, 455, 228, (96.1, 1.7)),
    "image_segmentation": (7, 19, 210, 2100, (87.4, 4.4)),
    "house_votes_84": (2, 16, 391, 44, (93.9, 3.1)),
    "sonar": (2, 60, 138, 70, (70.7, 7.8)),
    "vehicle": (4, 18, 564, 282, (69.0, 4.5)),
    "pima_diabetes": (2, 8, 512, 256, (77.3, 1.2)),
}

# What the columns of Tables 3 and 4 are called here, and how the paper calls them.
COLUMNS = {
    "size": "DT size",
    "accuracy": "Perform, %",
    "correct": "Correct, %",
    "uncertain": "Uncertain, %",
    "incorrect": "Incorrect, %",
}
TABLE_3 = {
    "ionosphere": ((21.2, 1.3), (94.4, 0.7), (76.5, 35.8), (7.0, 44.4), (16.5, 18.4)),
    "breast_cancer_wisconsin": ((32.7, 1.5), (97.7, 1.2), (96.7, 7.9), (1.4, 9.2), (1.9, 1.8)),
    "image_segmentation": ((27.9, 1.3), (94.2, 0.9), (86.1, 33.0), (6.5, 37.9), (7.4, 7.9)),
    "house_votes_84": ((27.1, 3.6), (95.2, 1.4), (94.3, 5.8), (1.1, 7.2), (4.5, 2.1)),
    "sonar": ((17.8, 0.8), (78.3, 5.5), (54.9, 40.6), (9.6, 60.5), (35.6, 31.8)),
    "vehicle": ((115.8, 3.2), (71.9, 2.2), (63.8, 31.0), (8.8, 50.2), (27.4, 20.1)),
    "pima_diabetes": ((33.6, 4.0), (80.2, 2.4), (66.7, 47.0), (14.6, 65.3), (18.7, 19.6)),
}
TABLE_4 = {
    "ionosphere": ((12.8, 3.2), (95.3, 0.6), (12.1, 5.2), (87.3, 6.8), (0.6, 0.8)),
    "breast_cancer_wisconsin": ((12.4, 1.4), (99.1, 0.8), (81.3, 2.7), (18.3, 4.4), (0.3, 0.7)),
    "image_segmentation": ((14.9, 2.8), (94.3, 0.3), (23.3, 1.4), (76.6, 4.9), (0.0, 0.0)),
    "house_votes_84": ((12.0, 2.1), (95.4, 1.2), (53.5, 12.3), (44.0, 12.5), (2.5, 2.2)),
    "sonar": ((10.2, 1.9), (81.4, 3.1), (2.2, 1.0), (97.8, 2.7), (0.0, 0.0)),
    "vehicle": ((45.3, 3.9), (69.9, 3.5), (2.9, 1.7), (96.9, 1.3), (0.2, 0.5)),
    "pima_diabetes": ((12.2, 2.0), (79.7, 1.7), (33.5, 6.3), (62.1, 6.5), (4.4, 1.9)),
}
# Section 5.2: the Bayesian trees are smaller "by a factor of 2.4".
SIZE_FACTOR = 2.4

# Section 5.1: Bayes error on the test rows, %.
BAYES_ERROR = 9.3
# Section 5.1.1: what is measured, its name, as printed with 2σ, and how it is to be read.
SECTION_511 = (
    ("log likelihood", "log likelihood, about", (-40.0, None), Reading(10.0)),
    ("acceptance in burn-in", "acceptance, burn-in", (0.47, None), Reading(0.01)),
    ("acceptance", "acceptance, post burn-in", (0.47, None), Reading(0.01)),
    ("size", "DT size, mean", (12.4, None), Reading(0.1)),
    ("size variance", "DT size, variance", (2.5, None), Reading(0.1)),
    ("smallest", "DT size, smallest", (6.0, None), Reading(1.0)),
    ("largest", "DT size, largest", (23.0, None), Reading(1.0)),
    ("accuracy", "Perform, %", (87.6, 0.6), TENTHS),
    ("correct", "Correct, %", (63.3, 15.7), TENTHS),
    ("uncertain", "Uncertain, %", (34.4, 20.1), TENTHS),
    ("incorrect", "Incorrect, %", (2.3, 2.9), TENTHS),
)
# Section 5.1.2, the same for randomised trees.
SECTION_512 = (
    ("size", "DT size, mean", (32.9, None), Reading(0.1)),
    ("size sd", "DT size, standard deviation", (3.3, None), Reading(0.1)),
    ("accuracy", "Perform, %", (87.1, None), Reading(0.1)),
    ("correct", "Correct, %", (78.9, 34.9), TENTHS),
    ("uncertain", "Uncertain, %", (9.8, 43.7), TENTHS),
    ("incorrect", "Incorrect, %", (11.3, 8.9), TENTHS),
)
# Table 1: path of features from the root on; its length is the number of nodes.
PATHS = (
    "211122111", "21112211", "212212111", "21221211111", "2112222", "212211111", "21121212222",
    "22121121", "211122112", "22121112", "2112221", "211222", "22211111", "2212211", "2121112",
    "2121212112", "2122121111", "211112121", "21122222", "2222111",
)  # fmt: skip
WEIGHTS = (0.002,) * 8 + (0.001,) * 12
# Section 4: error of eq. 14 with N classifiers, %, and its unit.
APPROXIMATION = {500: (1.0, 1.0), 5000: (0.4, 0.1)}
