"""R's ranger, where Rscript and the ranger and jsonlite packages are installed."""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import Fitted, UnavailableError
from benchmarks.problems import Problem

# proc.time() of R is the CPU time of its process, user and system, as ours is.
SCRIPT = """
suppressMessages({library(ranger); library(jsonlite)})
folder <- commandArgs(TRUE)[1]
s <- fromJSON(file.path(folder, "settings.json"))
matrix_of <- function(name, rows) {
  values <- readBin(file.path(folder, name), "numeric", rows * s$n_features, size = 4)
  m <- matrix(values, rows, s$n_features, byrow = TRUE)
  colnames(m) <- paste0("x", seq_len(s$n_features))
  m
}
X <- matrix_of("X", s$n_rows)
X_test <- matrix_of("X_test", s$n_test)
y <- readBin(file.path(folder, "y"), "numeric", s$n_rows, size = 8)
if (s$classification) y <- factor(y)
cpu <- function(t) sum(t[c("user.self", "sys.self")])
before <- proc.time()
model <- ranger(x = X, y = y, num.trees = s$n_trees, mtry = s$mtry,
                min.bucket = s$min_samples_leaf, min.node.size = 1,
                probability = s$classification, num.threads = s$n_jobs, seed = s$seed,
                oob.error = FALSE, verbose = FALSE)
spent <- proc.time() - before
prediction <- as.matrix(predict(model, X_test, num.threads = s$n_jobs)$predictions)
if (s$classification) prediction <- prediction[, order(as.numeric(colnames(prediction)))]
writeBin(as.vector(t(prediction)), file.path(folder, "prediction"))
cat(toJSON(list(cpu = cpu(spent), wall = spent[["elapsed"]]), auto_unbox = TRUE))
"""


def fit(problem: Problem, n_trees: int, n_jobs: int, seed: int) -> Fitted:
    """Fit and predict the test rows in one R process; R's own clock times the fit."""
    if shutil.which("Rscript") is None:
        raise UnavailableError("no Rscript on the path")
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder), problem, n_trees, n_jobs, seed)
        command = ["Rscript", str(Path(folder, "fit.R")), folder]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            raise UnavailableError((run.stderr.strip() or "Rscript failed").splitlines()[-1])
        spent = json.loads(run.stdout)
        prediction = np.fromfile(Path(folder, "prediction")).reshape(len(problem.y_test), -1)
    return Fitted(None, _only_for(problem.X_test, prediction), spent["cpu"], spent["wall"])


def _only_for(rows: NDArray, prediction: NDArray) -> Callable[[NDArray], NDArray]:
    def predict(X: NDArray) -> NDArray:
        if X is not rows:
            raise UnavailableError("predicts the test rows only")
        return prediction

    return predict


def _write(folder: Path, problem: Problem, n_trees: int, n_jobs: int, seed: int) -> None:
    n_features = problem.X.shape[1]
    settings = {
        "n_rows": len(problem.y),
        "n_test": len(problem.y_test),
        "n_features": n_features,
        "n_trees": n_trees,
        "n_jobs": n_jobs,
        "seed": seed + 1,
        "mtry": int(n_features**0.5) if problem.max_features == "sqrt" else n_features,
        "min_samples_leaf": problem.min_samples_leaf,
        "classification": problem.task == "classification",
    }
    (folder / "fit.R").write_text(SCRIPT)
    (folder / "settings.json").write_text(json.dumps(settings))
    problem.X.astype(np.float32).tofile(folder / "X")
    problem.X_test.astype(np.float32).tofile(folder / "X_test")
    problem.y.astype(np.float64).tofile(folder / "y")
