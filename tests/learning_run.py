"""A small recorded run in a learning view, for tests of its page."""

from typing import Any

CELL = """\
import numpy as np
from fgnwidgets import BayesGraph, fit, random_theta, sample
from fgnwidgets.widgets import LearningView

graph = BayesGraph({"S": 2, "A": 2, "B": 2, "C": 3}, dict.fromkeys("ABC", "S"))
drawn = sample(graph, random_theta(graph, np.random.default_rng(4)), 90, np.random.default_rng(1))
table = {name: drawn[name] for name in "ABC"}
how = {"n_epochs": 30, "tol": 0, "progress": False, "record": ("loglik", "theta")}
run = fit(graph, table, ("ml", "var"), seed=[3, 3], **how)
view = LearningView(run, epoch=0, right=1)
view
"""


def made(**how: Any) -> Any:
    """The view of that cell, with other values."""
    space: dict[str, Any] = {}
    exec(CELL, space)  # the cell that JupyterLab runs
    view = space["view"]
    for name, value in how.items():
        setattr(view, name, value)
    return view
