"""fgnwidgets: learning hidden variables in normal graphs, in the order of the paper.

Palmieri, "A Comparison of Algorithms for Learning Hidden Variables in Normal Graphs".
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .border.bayes import BayesGraph
from .border.block import block_loglik, iterate, kl, ml, var, vit
from .border.evidence import distinct, read_evidence
from .border.files import save
from .border.fit import epochs, fit
from .border.merging import MergedGraph
from .border.queries import aggregated, independent, loglik, posterior, propagate, saturated
from .border.run import Run
from .border.schedules import flooding, trace, two_sweep
from .border.theta import random_theta, relabel, uniform_theta
from .display import register as _register
from .engine.arrays import (
    normalize,
    product_to_variable,
    row_normalize,
    sharpen,
    variable_to_product,
)
from .engine.branches import Branch, GraphError
from .engine.graph import NormalGraph
from .engine.learning import Epoch
from .engine.messages import Belief, Evidence, ImpossibleEvidence, Messages
from .engine.nodes import Block, Diverter, Expand, Node, Project, Source
from .engine.rules import RULES, Rule

if TYPE_CHECKING:  # names that __getattr__ imports when they are first used
    from .analysis.alignment import agreement as agreement
    from .analysis.alignment import match_states as match_states
    from .analysis.comparing import compare as compare
    from .analysis.errors import standard_errors as standard_errors
    from .analysis.identified import identified as identified
    from .analysis.marginals import fix_marginals as fix_marginals
    from .analysis.online import learn_online as learn_online
    from .analysis.ratio import blrt as blrt
    from .analysis.replicates import bootstrap as bootstrap
    from .analysis.residuals import residuals as residuals
    from .analysis.scoring import score as score
    from .border.decoding import most_probable as most_probable
    from .border.decoding import sample as sample
    from .interop import from_pgmpy as from_pgmpy
    from .interop import from_pyagrum as from_pyagrum
    from .interop import load as load
    from .interop import to_pgmpy as to_pgmpy
    from .interop import to_pyagrum as to_pyagrum
    from .unfolding import hmm as hmm
    from .unfolding import sequences as sequences
    from .unfolding import unfold as unfold
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
    "fix_marginals",
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

_LATE = {
    "agreement": ".analysis.alignment",
    "match_states": ".analysis.alignment",
    "compare": ".analysis.comparing",
    "standard_errors": ".analysis.errors",
    "identified": ".analysis.identified",
    "learn_online": ".analysis.online",
    "blrt": ".analysis.ratio",
    "bootstrap": ".analysis.replicates",
    "residuals": ".analysis.residuals",
    "score": ".analysis.scoring",
    "most_probable": ".border.decoding",
    "fix_marginals": ".analysis.marginals",
    "sample": ".border.decoding",
    "hmm": ".unfolding",
    "sequences": ".unfolding",
    "unfold": ".unfolding",
    "from_pgmpy": ".interop",
    "from_pyagrum": ".interop",
    "load": ".interop",
    "to_pgmpy": ".interop",
    "to_pyagrum": ".interop",
    "GraphEditor": ".widgets",
}
"""Public names whose modules are imported only when they are first used, so that ``import
fgnwidgets`` is fast.

``GraphEditor`` is one of :mod:`fgnwidgets.widgets`, and here for convenience. It is not in
``__all__``, so that ``from fgnwidgets import *`` loads no widgets.
"""


def __getattr__(name: str) -> Any:
    """Import a name of :data:`_LATE`; from then on it is an ordinary one."""
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_LATE[name], __name__), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATE})
