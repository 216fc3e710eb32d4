"""Experiments that arrive: what is there on the way is what a smaller experiment gives."""

import dataclasses
import inspect
from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import pytest

from fgn_notebooks.experiments import (
    bayesian_sharpening,
    deeper,
    n_it_scatter,
    one_block_ranking,
    one_hidden,
    race,
    sharpening,
)
from fgn_notebooks.experiments.streams import batches

STREAMS = {  # with what grows, and arguments that take a moment
    "one_hidden": (one_hidden, "n_epochs", {"n_epochs": 12, "restarts": 3, "split": True}),
    "n_it_scatter": (n_it_scatter, "n_epochs", {"n_epochs": 12, "n_its": (1, 4), "runs": 2}),
    "deeper": (deeper, "n_epochs", {"n_epochs": 60}),
    "race": (race, "n_epochs", {"n_epochs": 4}),
    "ranking": (one_block_ranking, "n_seeds", {"n_seeds": 60, "n_iterations": 20, "split": True}),
    "sharpening": (sharpening, "n_seeds", {"n_seeds": 9}),
    "bayesian": (bayesian_sharpening, "n_seeds", {"n_seeds": 3}),
}


def close(one, other):
    """Equal to rounding: sums are added in another order where fewer seeds go together."""
    if dataclasses.is_dataclass(one):
        names = {f.name for f in dataclasses.fields(one)} - {"n_planned"}
        return all(close(getattr(one, name), getattr(other, name)) for name in names)
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(close(v, other[k]) for k, v in one.items())
    if isinstance(one, np.ndarray | float):
        return np.allclose(one, other, rtol=1e-9, atol=1e-9)
    return one == other


@pytest.mark.parametrize("name", STREAMS)
def test_a_result_on_the_way_is_that_of_a_smaller_experiment(name):
    function, grows, arguments = STREAMS[name]
    results = list(function.stream(**arguments))
    done = [result.progress[0] for result in results]
    assert len(results) > 1
    assert all(earlier < later for earlier, later in pairwise(done))
    assert results[-1].progress[:2] == (arguments[grows],) * 2
    assert {result.progress[1:] for result in results} == {results[-1].progress[1:]}
    for result, size in zip(results, done, strict=True):
        assert close(result, function(**{**arguments, grows: size}))
        assert result.facts() == function(**{**arguments, grows: size}).facts()


def test_a_streamed_function_says_what_it_takes_and_returns():
    assert one_hidden.__name__ == "one_hidden"
    signature = inspect.signature(one_hidden)
    assert "n_epochs" in signature.parameters
    assert signature.return_annotation == "OneHidden"
    assert one_hidden.__doc__ == one_hidden.stream.__doc__
    with pytest.raises(TypeError, match="no_such"):
        one_hidden(no_such=1)


@pytest.mark.parametrize("work, sizes", [(10**9, [1] * 7), (5_000_000, [2, 2, 2, 1]), (1, [7])])
def test_heavy_seeds_come_in_small_batches(work, sizes):
    found = list(batches(3, 7, work))
    assert [len(batch) for batch in found] == sizes
    assert [seed for batch in found for seed in batch] == list(range(3, 10))
