"""fgnwidgets: learning hidden variables in normal graphs, in the order of the paper.

Palmieri, "A Comparison of Algorithms for Learning Hidden Variables in Normal Graphs".
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .algebra.distributions import normalize, row_normalize, sharpen
from .algebra.products import product_to_variable, variable_to_product
from .bayes.graph import BayesGraph
from .data.evidence import Evidence, ImpossibleEvidence
from .display import register as _register
from .graphs.branches import Branch, GraphError
from .graphs.nodes import Block, Diverter, Expand, Node, Project, Source
from .graphs.normal_graph import NormalGraph
from .graphs.theta import random_theta, relabel, uniform_theta
from .learning import above as _above

if TYPE_CHECKING:  # names that __getattr__ imports when they are first used
    from .analysis.alignment import agreement as agreement
    from .analysis.alignment import match_states as match_states
    from .analysis.classification import classification as classification
    from .analysis.comparing import compare as compare
    from .analysis.contributions import contributions as contributions
    from .analysis.errors import standard_errors as standard_errors
    from .analysis.goodness import goodness as goodness
    from .analysis.identified import identified as identified
    from .analysis.informative import informative as informative
    from .analysis.invariance import invariance as invariance
    from .analysis.marginals import fix_marginals as fix_marginals
    from .analysis.online import learn_online as learn_online
    from .analysis.ratio import blrt as blrt
    from .analysis.replicates import bootstrap as bootstrap
    from .analysis.residuals import residuals as residuals
    from .analysis.scoring import score as score
    from .analysis.sensitivity import sensitivity as sensitivity
    from .analysis.three_step import three_step as three_step
    from .bayes.unrolled import hmm as hmm
    from .bayes.unrolled import sequences as sequences
    from .bayes.unrolled import unfold as unfold
    from .inference.decoding import most_probable as most_probable
    from .inference.decoding import sample as sample
    from .inference.evidence import distinct as distinct
    from .inference.evidence import read_evidence as read_evidence
    from .inference.messages import Belief as Belief
    from .inference.messages import Messages as Messages
    from .inference.queries import aggregated as aggregated
    from .inference.queries import independent as independent
    from .inference.queries import loglik as loglik
    from .inference.queries import posterior as posterior
    from .inference.queries import propagate as propagate
    from .inference.queries import saturated as saturated
    from .inference.schedules import flooding as flooding
    from .inference.schedules import trace as trace
    from .inference.schedules import two_sweep as two_sweep
    from .interop.models import from_pgmpy as from_pgmpy
    from .interop.models import from_pyagrum as from_pyagrum
    from .interop.models import load as load
    from .interop.models import save as save
    from .interop.models import to_pgmpy as to_pgmpy
    from .interop.models import to_pyagrum as to_pyagrum
    from .learning.block import block_loglik as block_loglik
    from .learning.block import iterate as iterate
    from .learning.block import kl as kl
    from .learning.block import ml as ml
    from .learning.block import var as var
    from .learning.block import vit as vit
    from .learning.em import Epoch as Epoch
    from .learning.fit import epochs as epochs
    from .learning.fit import fit as fit
    from .learning.fit import resume as resume
    from .learning.rules import RULES as RULES
    from .learning.rules import Rule as Rule
    from .learning.run import Interrupted as Interrupted
    from .learning.run import Run as Run
    from .learning.summary import Summary as Summary
    from .loops.junction_tree import MergedGraph as MergedGraph
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
    "informative",
    "sensitivity",
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
    "resume",
    "Interrupted",
    "contributions",
    "identified",
    "standard_errors",
    "bootstrap",
    "compare",
    "blrt",
    "residuals",
    "goodness",
    "classification",
    "three_step",
    "invariance",
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


def _summarize(run: "Run", rank: bool | None) -> "Summary":
    """Work out ``run.summary()``: its module is imported when somebody asks."""
    from .analysis.summary import summarize

    return summarize(run, rank)


def _diagnose(run: "Run") -> tuple[str, ...]:
    """Work out ``run.warnings``."""
    from .learning.diagnostics import diagnose

    return diagnose(run)


_above.summarize = _summarize
_above.diagnose = _diagnose

_LATE = {
    "distinct": ".inference.evidence",
    "read_evidence": ".inference.evidence",
    "Belief": ".inference.messages",
    "Messages": ".inference.messages",
    "aggregated": ".inference.queries",
    "independent": ".inference.queries",
    "loglik": ".inference.queries",
    "posterior": ".inference.queries",
    "propagate": ".inference.queries",
    "saturated": ".inference.queries",
    "block_loglik": ".learning.block",
    "iterate": ".learning.block",
    "kl": ".learning.block",
    "ml": ".learning.block",
    "var": ".learning.block",
    "vit": ".learning.block",
    "RULES": ".learning.rules",
    "Rule": ".learning.rules",
    "Interrupted": ".learning.run",
    "Run": ".learning.run",
    "MergedGraph": ".loops.junction_tree",
    "agreement": ".analysis.alignment",
    "match_states": ".analysis.alignment",
    "classification": ".analysis.classification",
    "compare": ".analysis.comparing",
    "contributions": ".analysis.contributions",
    "standard_errors": ".analysis.errors",
    "goodness": ".analysis.goodness",
    "identified": ".analysis.identified",
    "invariance": ".analysis.invariance",
    "informative": ".analysis.informative",
    "learn_online": ".analysis.online",
    "blrt": ".analysis.ratio",
    "bootstrap": ".analysis.replicates",
    "residuals": ".analysis.residuals",
    "score": ".analysis.scoring",
    "three_step": ".analysis.three_step",
    "sensitivity": ".analysis.sensitivity",
    "most_probable": ".inference.decoding",
    "fix_marginals": ".analysis.marginals",
    "sample": ".inference.decoding",
    "flooding": ".inference.schedules",
    "trace": ".inference.schedules",
    "two_sweep": ".inference.schedules",
    "Epoch": ".learning.em",
    "epochs": ".learning.fit",
    "fit": ".learning.fit",
    "resume": ".learning.fit",
    "Summary": ".learning.summary",
    "hmm": ".bayes.unrolled",
    "sequences": ".bayes.unrolled",
    "unfold": ".bayes.unrolled",
    "from_pgmpy": ".interop",
    "from_pyagrum": ".interop",
    "load": ".interop",
    "save": ".interop",
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
