"""The paper's experiments as functions ``compute(*, controls) -> result``.

A result is a frozen value with ``table()``, its columns for a file, and ``facts()``, the main
numbers of its figure as a text. Nothing here draws: the same results serve figures and labs. Long
experiments also have ``compute.stream(*, controls)``, which yields results on the way.
"""

from .bayesian import BayesianBlock, BayesianSharpening, bayesian_block, bayesian_sharpening
from .deeper_graph import Deeper, deeper
from .ends_by_nit import NitScatter, n_it_scatter
from .hidden_variable import OneHidden, one_hidden
from .many_blocks import Ranking, Sharpening, one_block_ranking, sharpening
from .products import ProductSpace, product_space
from .racing import Race, race
from .single_block import OneBlock, one_block

__all__ = [
    "BayesianBlock",
    "BayesianSharpening",
    "Deeper",
    "NitScatter",
    "OneBlock",
    "OneHidden",
    "ProductSpace",
    "Race",
    "Ranking",
    "Sharpening",
    "bayesian_block",
    "bayesian_sharpening",
    "deeper",
    "n_it_scatter",
    "one_block",
    "one_block_ranking",
    "one_hidden",
    "product_space",
    "race",
    "sharpening",
]
