"""The numbers printed in the paper's tables, as (mean, standard deviation) of 5 repeats.

That the deviations divide by n - 1 shows in wine's 99.44 ± 1.24, one error in 180: with n it
would be 1.11.
"""

Printed = tuple[float, float]

# Columns of Table 1, in %.
METHODS = (
    "kNN", "SVM", "RF: Gini", "RF: entropy", "MCMC", "SMC: prior", "SMC: post.", "BART", "S-Bayes",
)  # fmt: skip

ACCURACY: dict[str, tuple[Printed | None, ...]] = {
    "australian": (
        (83.04, 2.53), (86.23, 0.89), (86.23, 2.29), (86.08, 2.82), (86.09, 0.61), (86.23, 1.02),
        (86.23, 0.51), (87.68, 0.88), (87.39, 1.50),
    ),
    "breast-cancer": (
        (98.39, 1.25), (98.54, 1.15), (98.10, 1.42), (98.10, 1.42), (96.93, 1.58), (96.35, 2.42),
        (96.49, 1.66), (98.39, 1.40), (97.95, 1.30),
    ),
    "diabetes": (
        (72.59, 1.32), (75.32, 4.68), (74.80, 2.61), (74.15, 3.13), (74.42, 2.08), (71.68, 1.63),
        (73.76, 2.08), (76.75, 5.08), (74.28, 4.76),
    ),
    "heart": (
        (81.11, 5.54), (85.18, 2.62), (82.96, 4.01), (83.33, 4.34), (80.37, 6.23), (79.63, 5.86),
        (81.48, 5.71), (85.56, 3.56), (87.41, 5.61),
    ),
    "ionosphere": (
        (81.99, 3.33), (81.99, 6.59), (90.85, 3.58), (91.14, 3.41), (89.43, 3.13), (88.85, 2.93),
        (89.71, 3.41), (92.00, 3.28), (91.14, 2.11),
    ),
    "german.numer": (
        (63.80, 5.81), (72.09, 4.04), (69.29, 3.47), (68.99, 3.18), (63.80, 4.80), (63.59, 6.25),
        (64.10, 5.97), (71.80, 3.78), (72.40, 2.88),
    ),
    "iris": (
        (95.99, 5.33), (98.00, 2.98), (96.67, 3.33), (96.67, 3.33), (96.67, 3.33), (97.33, 2.78),
        (95.99, 3.65), None, (96.67, 3.33),
    ),
    "wine": (
        (97.22, 1.76), (97.22, 3.40), (98.33, 2.48), (98.33, 2.48), (95.56, 1.52), (86.67, 9.89),
        (94.44, 1.96), None, (99.44, 1.24),
    ),
    "svmguide2": (
        (60.61, 2.71), (69.70, 7.72), (69.09, 4.97), (67.87, 7.90), (63.64, 9.34), (55.15, 11.81),
        (62.42, 5.90), None, (67.27, 4.97),
    ),
}  # fmt: skip

# Columns of Table 2, in %; its last column repeats Table 1.
ENSEMBLES = ("best tree", "BMA", "S-Bayes")
ENSEMBLE_ACCURACY: dict[str, tuple[Printed, ...]] = {
    "australian": ((86.23, 0.79), (86.23, 0.89), (87.39, 1.50)),
    "breast-cancer": ((96.06, 1.35), (96.64, 0.40), (97.95, 1.30)),
    "diabetes": ((71.42, 2.53), (70.39, 3.45), (74.28, 4.76)),
    "heart": ((75.93, 6.83), (77.78, 8.97), (87.41, 5.61)),
    "ionosphere": ((81.99, 5.07), (81.71, 5.84), (91.14, 2.11)),
    "german.numer": ((63.20, 5.71), (63.70, 6.02), (72.40, 2.88)),
    "iris": ((94.00, 4.89), (94.67, 6.05), (96.67, 3.33)),
    "wine": ((86.67, 5.93), (88.33, 4.56), (99.44, 1.24)),
    "svmguide2": ((51.51, 5.42), (53.94, 8.41), (67.27, 4.97)),
}

# Table 3: log predictive probability of MCMC and of S-Bayes.
LOG_PROBABILITY: dict[str, tuple[Printed, Printed]] = {
    "australian": ((-0.3330, 0.0249), (-0.5409, 0.0043)),
    "breast-cancer": ((-0.0999, 0.0336), (-0.3009, 0.0129)),
    "diabetes": ((-0.5277, 0.0149), (-0.6260, 0.0061)),
    "heart": ((-0.4464, 0.0560), (-0.5879, 0.0053)),
    "ionosphere": ((-0.3150, 0.0605), (-0.6097, 0.0095)),
    "german.numer": ((-0.5885, 0.0281), (-0.6759, 0.0023)),
    "iris": ((-0.2616, 0.1284), (-0.5473, 0.0608)),
    "wine": ((-0.2475, 0.0581), (-0.6625, 0.0275)),
    "svmguide2": ((-0.8702, 0.0858), (-1.0283, 0.0133)),
}

# Table 4: accuracies on images, in %; nothing stands in one cell.
IMAGE_METHODS = ("MCMC", "SMC: prior", "RF: Gini", "RF: entropy", "ExtraTrees", "S-Bayes")
IMAGE_ACCURACY: dict[str, tuple[Printed | None, ...]] = {
    "Israeli Images": (
        (15.59, 3.46), (15.88, 0.86), (35.21, 2.28), None, (33.97, 1.91), (34.93, 2.05),
    ),
    "Animals with Attributes": (
        (27.03, 1.80), (27.39, 2.66), (41.96, 0.91), (41.86, 1.38), (41.57, 0.92), (38.17, 0.92),
    ),
}  # fmt: skip
# In the text of section 5, on the same two sets.
IMAGE_TEXT: dict[str, dict[str, Printed]] = {
    "Israeli Images": {"kNN": (13.20, 2.41), "SVM": (42.67, 4.59)},
    "Animals with Attributes": {"kNN": (36.53, 2.69), "SVM": (47.83, 1.27)},
}
