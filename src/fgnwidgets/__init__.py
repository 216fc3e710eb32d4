"""fgnwidgets: learning hidden variables in normal graphs, in the order of the paper.

Palmieri, "A Comparison of Algorithms for Learning Hidden Variables in Normal Graphs".
"""

from .display import register as _register
from .engine.arrays import normalize, row_normalize, sharpen
from .engine.bayes import BayesGraph
from .engine.decoding import most_probable, sample
from .engine.em import Epoch
from .engine.evidence import Evidence, ImpossibleEvidence, distinct, read_evidence
from .engine.files import load, save
from .engine.fit import Run, fit
from .engine.graph import NormalGraph
from .engine.learning import epochs
from .engine.likelihood import aggregated, block_loglik, independent, loglik, saturated
from .engine.matrices import random_theta, relabel, uniform_theta
from .engine.messages import Belief, Messages
from .engine.nodes import Block, Branch, Diverter, Expand, GraphError, Project, Source
from .engine.product import product_to_variable, variable_to_product
from .engine.propagate import posterior, propagate, trace
from .engine.rules import iterate, kl, ml, var, vit
from .engine.schedule import flooding, two_sweep

__version__ = "0.1.0"

__all__ = [  # noqa: RUF022 -- in the order of the paper
    "Belief",
    "Messages",
    "normalize",
    "row_normalize",
    "sharpen",
    "Branch",
    "Source",
    "Block",
    "Diverter",
    "Expand",
    "Project",
    "NormalGraph",
    "BayesGraph",
    "GraphError",
    "product_to_variable",
    "variable_to_product",
    "Evidence",
    "ImpossibleEvidence",
    "read_evidence",
    "distinct",
    "propagate",
    "posterior",
    "trace",
    "two_sweep",
    "flooding",
    "most_probable",
    "block_loglik",
    "aggregated",
    "loglik",
    "saturated",
    "independent",
    "ml",
    "kl",
    "vit",
    "var",
    "iterate",
    "random_theta",
    "uniform_theta",
    "relabel",
    "sample",
    "Epoch",
    "epochs",
    "Run",
    "fit",
    "save",
    "load",
]

_register()
