"""From the name of a method to an estimator."""

import click
import pytest

from bayeswood import RandomizedTreesClassifier
from bayeswood.cli.parameters import check_method, find_class, make_estimator


def test_a_known_method_passes_whatever_its_task():
    check_method("randomized-trees")
    assert find_class("randomized-trees", "classification") is RandomizedTreesClassifier


def test_an_unknown_method_is_refused_with_the_nearest():
    for call in (check_method, lambda name: find_class(name, "regression")):
        with pytest.raises(click.UsageError, match=r"No method 'random-forst'.*'random-forest'"):
            call("random-forst")


def test_a_method_that_cannot_do_the_task():
    with pytest.raises(click.UsageError, match="cannot do regression"):
        make_estimator("randomized-trees", "regression", {})
