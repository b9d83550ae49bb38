"""Ctrl-C in the middle of a fit."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

SCRIPT = textwrap.dedent(
    """
    import os, signal, sys, threading, time
    import numpy as np
    from bayeswood import {name}
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 10))
    y = rng.integers(0, 2, size=20_000)
    model = {name}(n_estimators=100_000, n_jobs={n_jobs})
    sent = []

    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(0.5, interrupt).start()
    try:
        model.fit(X, y)
    except KeyboardInterrupt:
        waited = time.monotonic() - sent[0]
        assert not hasattr(model, "forest_")
        assert not hasattr(model, "n_features_in_")
        assert threading.active_count() == 1
        small = model.set_params(n_estimators=2).fit(X[:100], y[:100])
        assert small.forest_.n_trees == 2
        print(f"{{waited:.3f}}")
        sys.exit(42)
    """
)


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as on POSIX")
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("name", ["BayesianForestClassifier", "RandomForestRegressor"])
def test_an_interrupted_fit_stops_and_leaves_nothing(name, n_jobs):
    script = SCRIPT.format(name=name, n_jobs=n_jobs)
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 42, done.stderr
    # The core answers within 0.2 s; ten times that leaves room for a loaded machine.
    assert float(done.stdout) < 2.0
