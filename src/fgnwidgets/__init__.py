"""fgnwidgets: learning hidden variables in normal graphs, in the order of the paper.

Palmieri, "A Comparison of Algorithms for Learning Hidden Variables in Normal Graphs".
"""

from typing import TYPE_CHECKING, Any

from .analysis.alignment import agreement, match_states
from .analysis.comparing import compare
from .analysis.errors import standard_errors
from .analysis.identified import identified
from .analysis.online import learn_online
from .analysis.ratio import blrt
from .analysis.replicates import bootstrap
from .analysis.residuals import residuals
from .analysis.scoring import score
from .border.bayes import BayesGraph
from .border.decoding import most_probable, sample
from .border.evidence import distinct, read_evidence
from .border.files import save
from .border.fit import fit
from .border.likelihood import aggregated, independent, saturated
from .border.merging import MergedGraph
from .border.posing import epochs
from .border.queries import flooding, loglik, posterior, propagate, trace, two_sweep
from .border.run import Run
from .border.theta import random_theta, relabel, uniform_theta
from .display import register as _register
from .engine.arrays import (
    normalize,
    product_to_variable,
    row_normalize,
    sharpen,
    variable_to_product,
)
from .engine.block import block_loglik, iterate, kl, ml, var, vit
from .engine.graph import NormalGraph
from .engine.learning import Epoch
from .engine.messages import Belief, Evidence, ImpossibleEvidence, Messages
from .engine.nodes import Block, Branch, Diverter, Expand, GraphError, Node, Project, Source
from .engine.rules import RULES, Rule
from .interop import from_pgmpy, from_pyagrum, load, to_pgmpy, to_pyagrum
from .unfolding import hmm, sequences, unfold

if TYPE_CHECKING:
    from .widgets import GraphEditor as GraphEditor

__version__ = "0.2.0"

__all__ = [  # noqa: RUF022 -- in the order of the paper
    "Belief",
    "Messages",
    "normalize",
    "row_normalize",
    "sharpen",
    "Branch",
    "Node",
    "Source",
    "Block",
    "Diverter",
    "Expand",
    "Project",
    "NormalGraph",
    "BayesGraph",
    "MergedGraph",
    "hmm",
    "unfold",
    "GraphError",
    "product_to_variable",
    "variable_to_product",
    "Evidence",
    "ImpossibleEvidence",
    "read_evidence",
    "distinct",
    "sequences",
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
    "Rule",
    "RULES",
    "ml",
    "kl",
    "vit",
    "var",
    "iterate",
    "random_theta",
    "uniform_theta",
    "relabel",
    "agreement",
    "match_states",
    "sample",
    "Epoch",
    "epochs",
    "Run",
    "fit",
    "identified",
    "standard_errors",
    "bootstrap",
    "compare",
    "blrt",
    "residuals",
    "score",
    "learn_online",
    "save",
    "load",
    "from_pgmpy",
    "to_pgmpy",
    "from_pyagrum",
    "to_pyagrum",
]

_register()


def __getattr__(name: str) -> Any:
    """``fgnwidgets.GraphEditor``, whose widgets are imported when it is asked for."""
    if name == "GraphEditor":
        from .widgets import GraphEditor

        return GraphEditor
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
