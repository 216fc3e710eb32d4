"""A request that cannot fit says how much it would need, before any of it is taken."""

import os
import tracemalloc

import numpy as np
import pytest

import fgnwidgets as fg

MACHINE = 50_000_000
GRAPH = fg.BayesGraph({"A": 1000, "B": 500, "C": 2}, {"B": "A", "C": "B"})
"""501,000 numbers and a few: 4 MB a model."""


@pytest.fixture(autouse=True)
def small_machine(monkeypatch):
    sizes = {"SC_PHYS_PAGES": MACHINE // 4096, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__)


def refused(call, said):
    tracemalloc.start()
    try:
        with pytest.raises(MemoryError, match=said):
            call()
        assert tracemalloc.get_traced_memory()[1] < MACHINE / 10
    finally:
        tracemalloc.stop()


def test_restarts_that_do_not_fit_are_refused_before_their_matrices_are_drawn():
    said = r"would need about 0.\d+ GB, the machine has 0.05 GB: 30 restarts of 502,000 numbers"
    for start in ("matrices", "messages"):
        refused(lambda s=start: fg.fit(GRAPH, {"C": [0, 1]}, restarts=30, start=s), said)
    assert fg.fit(GRAPH, {"C": [0, 1]}, restarts=1, n_epochs=1).n_epochs == 1


def test_matrices_that_do_not_fit_are_refused_with_the_largest():
    rng = np.random.default_rng(0)
    said = r"theta\['B\|A'\] alone holds 500,000 numbers, 1,000 of A x 500 of B"
    refused(lambda: fg.random_theta(GRAPH, rng, (20,)), said)
    wide = fg.BayesGraph({"A": 3000, "B": 3000}, {"B": "A"})
    refused(lambda: fg.uniform_theta(wide), "the matrices would need 0.072 GB")
    product = fg.BayesGraph({"A": 200, "B": 300, "C": 200}, {"C": ["A", "B"]})
    refused(lambda: fg.uniform_theta(product), "200 of A x 300 of B x 200 of C")
