"""Graphs and tables that the tests of reports share."""

from functools import cache

import numpy as np

import fgnwidgets as fg
from fgn_notebooks.data import carcinoma

SLIDES = carcinoma()


def classes(count, sizes, name="S"):
    """A latent class model: ``count`` classes over variables with sizes or states."""
    return fg.BayesGraph({name: count, **sizes}, dict.fromkeys(sizes, name))


@cache
def slides(count, **options):
    """The pathologists' table, learned with so many classes."""
    graph = classes(count, dict.fromkeys(SLIDES, 2))
    return fg.fit(graph, SLIDES, **{"restarts": 20, "n_epochs": 3000, **options})


def drawn(graph, theta, n, seed, observed):
    """A table of some variables, drawn from a model."""
    table = fg.sample(graph, theta, n, np.random.default_rng(seed))
    return {name: table[name] for name in observed}


TRUE = {
    "S": [[0.6, 0.4]],
    "A|S": [[0.9, 0.1], [0.2, 0.8]],
    "B|S": [[0.8, 0.2], [0.3, 0.7]],
    "C|S": [[0.85, 0.15], [0.25, 0.75]],
    "D|S": [[0.7, 0.3], [0.1, 0.9]],
}
ITEMS = {"A": 2, "B": 2, "C": 2, "D": 2}
TWO = classes(2, ITEMS)
"""Two classes that four items tell apart, and their matrices."""
