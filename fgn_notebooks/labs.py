"""The labs of the course: experiments with controls (sections 4, 6, 7, Appendix A).

Every function returns a new :class:`~fgnwidgets.widgets.Lab`; its docstring says what to try. A lab
calls one function to compute and one to draw, and ``lab.code()`` is the code of these two calls.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from fgnwidgets import BayesGraph, NormalGraph, Rule
from fgnwidgets.widgets import Choice, Control, Exponent, Integer, Lab, Many, Pair, Real, Toggle

from . import experiments, paper
from .experiments import ProductSpace
from .experiments.weather import DAYS, SEEN
from .experiments.weather import weather as umbrellas
from .experiments.words import NAMES, RULES, read_rules, said
from .figures.bayesian import draw_bayesian_block, draw_bayesian_sharpening
from .figures.data import draw_weather
from .figures.deeper_graph import draw_deeper
from .figures.hidden_variable import (
    draw_n_it_scatter,
    draw_one_hidden,
    draw_one_hidden_coefficients,
)
from .figures.products import draw_product_space
from .figures.racing import draw_race
from .figures.single_block import draw_one_block, draw_one_block_ranking, draw_sharpening

SEED = "which random numbers"
DATA_SEED = "which samples are learned from"
SPLIT = Toggle("split", False, "learn from one half, test on the other")
LABELS = tuple(NAMES[rule] for rule in RULES)
STARTS = Choice(
    "start",
    ("messages", "matrices"),
    "messages",
    "what is random at first",
)


def listed() -> dict[str, Callable[[], Lab]]:
    """Every lab by its name: the functions of this module that return one.

    Tests, and the pages of the site, take the labs from here.
    """
    found = {
        name: value
        for name, value in globals().items()
        if inspect.isfunction(value) and value.__annotations__.get("return") in (Lab, "Lab")
    }
    return {name: value for name, value in found.items() if not name.startswith("_")}


def one_block() -> Lab:
    """One block learns from random messages (section 6); for sharp messages the rules agree.

    Views: one run; the same setting with many seeds, ranked; all rules while both exponents grow.
    """
    return Lab(
        experiments.one_block,
        draw_one_block,
        title="One block",
        name="one run",
        more={
            "many seeds": Pair(experiments.one_block_ranking, draw_one_block_ranking),
            "sharpened": Pair(experiments.sharpening, draw_sharpening),
        },
        controls={
            "m_x": Integer("M_X", 2, 8, 3, "how many values X takes"),
            "m_y": Integer("M_Y", 2, 8, 3, "how many values Y takes"),
            "n": Integer("N", 2, 1000, 200, "how many pairs of messages"),
            "ex": Exponent("EX", 0.1, 100, 1.0, "sharpness of f, the messages at X"),
            "ey": Exponent("EY", 0.1, 100, 1.0, "sharpness of b, those at Y"),
            "n_iterations": Integer("iterations", 1, 300, 100, "steps of ML and KL"),
            "seed": Integer("seed", 0, 99, 0, SEED),
            "n_seeds": Integer("seeds", 2, 200, 50, "how many runs to compare"),
            "split": SPLIT,
        },
        main=("ex", "ey", "n_seeds", "seed"),
    )


def one_hidden_variable() -> Lab:
    """A hidden variable with three children (section 7.1): likelihoods and learned matrices.

    Views: both likelihoods and the final matrices; every coefficient by epoch; the final
    likelihoods of many runs by Nit.
    """
    return Lab(
        experiments.one_hidden,
        draw_one_hidden,
        title="One hidden variable",
        name="likelihoods",
        cursor="epoch",
        more={
            "coefficients": Pair(experiments.one_hidden, draw_one_hidden_coefficients),
            "ends by Nit": Pair(experiments.n_it_scatter, draw_n_it_scatter),
        },
        controls={
            "rules": _rules(),
            "rule": Choice("rule", RULES, "ml", "the rule whose runs are compared", LABELS),
            "m_s": Integer("M_S", 2, 9, paper.ONE_HIDDEN_SIZES["S"], "states of the graph's S"),
            "n": Integer("N", 2, 1000, paper.ONE_HIDDEN_N, "how many samples"),
            "n_epochs": Integer(
                "Ne", 1, 300, paper.ONE_HIDDEN_NE, "epochs: one E-step, one M-step"
            ),
            "n_it": Integer("Nit", 1, 20, paper.ONE_HIDDEN_NIT, "steps of ML, KL in an epoch"),
            "start": STARTS,
            "restarts": Integer("restarts", 1, 20, 1, "random starts, the best in front"),
            "runs": Integer("runs", 1, 30, 10, "how many runs for each Nit"),
            "seed": Integer("seed", 0, 99, 1, SEED),
            "data_seed": Integer("data", 0, 99, 0, DATA_SEED),
            "split": SPLIT,
        },
        main=("rules", "rule", "n_it", "n_epochs", "runs"),
    )


def deeper_graph(graph: BayesGraph | NormalGraph | None = None, data: Any = None) -> Lab:
    """The forest of eight variables (section 7.2), or your own graph and table.

    The likelihood and the coefficients of every block are drawn while the epochs are computed.
    """
    own = {} if graph is None and data is None else {"graph": graph, "data": data}
    sizes = {
        f"m_{name.lower()}": Integer(f"M_{name}", 2, 6, size, f"how many values {name} takes")
        for name, size in paper.FOREST_SIZES.items()
    }
    n = Integer("N", 10, 1000, paper.FOREST_N, "how many samples")
    model = Integer("data", 0, 99, 1, "which model made the samples")
    return Lab(
        experiments.deeper,
        draw_deeper,
        title="Your graph" if own else "A deeper graph",
        given=own,
        controls={
            **({} if own else {**sizes, "n": n}),
            "n_epochs": Integer("Ne", 10, 1000, paper.FOREST_NE, "epochs"),
            "n_it": Integer("Nit", 1, 20, paper.FOREST_NIT, "steps of ML, KL in an epoch"),
            "rules": _rules(),
            "start": STARTS,
            "seed": Integer("seed", 0, 99, 0, SEED),
            **({} if own else {"data_seed": model}),
        },
        main=("n_it", "n_epochs", "rules"),
    )


def bayesian_learning() -> Lab:
    """The density of a 2-by-2 matrix given its messages (section 4), exact and approximate.

    Views: the two densities; the distance between them as messages grow sharp.
    """
    return Lab(
        experiments.bayesian_block,
        draw_bayesian_block,
        title="Bayesian learning",
        name="densities",
        more={"sharpened": Pair(experiments.bayesian_sharpening, draw_bayesian_sharpening)},
        controls={
            "n": Integer("N", 1, 200, 100, "how many pairs of messages"),
            "exponent": Exponent("sharpness", 0.1, 1000, 3.0, "exponent of both messages"),
            "alpha": Integer("alpha", 0, 20, 0, "pseudo-counts in each cell"),
            "seed": Integer("seed", 0, 99, 2, SEED),
            "n_seeds": Integer("seeds", 1, 50, 20, "tables of messages to compare"),
        },
        main=("n", "exponent", "alpha"),
    )


def three_variables(
    *, m_1: int = 2, m_2: int = 3, m_3: int = 2, sender: int = 1, sharpness: float = 1.0
) -> ProductSpace:
    """The product space of three variables (Appendix A), one of which sends a message.

    The variables have ``m_1``, ``m_2`` and ``m_3`` values. The message of variable ``sender``
    (1, 2 or 3), of size M, is ``M, ..., 2, 1`` to the power of ``sharpness``, normalised.
    """
    sizes = (m_1, m_2, m_3)
    weights = [float(k) ** sharpness for k in range(sizes[sender - 1], 0, -1)]
    return experiments.product_space(sizes=sizes, message={sender - 1: weights})


def product_space() -> Lab:
    """The product space (Appendix A): its matrices, and a message from a variable to the others."""
    return Lab(
        three_variables,
        draw_product_space,
        title="Product space",
        controls={
            **{
                f"m_{k}": Integer(f"M_{k}", 1, 4, size, f"how many values X{k} takes")
                for k, size in enumerate((2, 3, 2), start=1)
            },
            "sender": Integer("sender", 1, 3, 1, "which variable says something"),
            "sharpness": Exponent("sharpness", 0.1, 10, 1.0, "how much it says"),
        },
        main=("m_1", "sender", "sharpness"),
    )


def race(
    graph: BayesGraph | NormalGraph | None = None,
    data: Any = None,
    *,
    own: Rule | Sequence[Rule] = (),
    n_epochs: int = 60,
) -> Lab:
    """The rules side by side on section 7.1, or on your own graph and table; press play.

    ``own`` are rules of yours to compare with the paper's, and ``n_epochs`` is the length of a run.
    """
    given = {} if graph is None and data is None else {"graph": graph, "data": data}
    rules = (own,) if isinstance(own, Rule) or not isinstance(own, Sequence) else tuple(own)
    if isinstance(own, str) or not all(isinstance(rule, Rule) for rule in rules):
        raise ValueError(
            f"own is {own!r}: expected a Rule of yours, Rule('mine', step), or several"
        )
    if rules:
        given["own"] = rules
    return Lab(
        experiments.race,
        draw_race,
        title="Race of the rules" if rules else "Race of the four rules",
        given={**given, "n_epochs": n_epochs},
        controls={
            "epoch": Integer("epoch", 0, n_epochs, n_epochs, "how far they are", play=True),
            "rules": _rules(*rules),
            "n_it": Integer("Nit", 1, 20, paper.ONE_HIDDEN_NIT, "steps of ML, KL in an epoch"),
            "start": STARTS,
            "seed": Integer("seed", 0, 99, 0, SEED),
        },
    )


def weather() -> Lab:
    """Rain behind umbrellas: click the days on which one was seen, and move the last day seen.

    Later days are predicted. If the weather stays with probability 0.5, days are independent, and
    there is nothing to smooth.
    """
    days = tuple(str(day) for day in range(1, DAYS + 1))
    return Lab(
        umbrellas,
        draw_weather,
        title="Filtering and smoothing",
        controls={
            "umbrellas": Many("umbrellas", days, SEEN, "days on which one was seen", empty=True),
            "until": Integer("last day seen", 1, DAYS, DAYS, "later days are predicted", play=True),
            "stays": Real("P(stays)", 0.5, 0.99, 0.7, "how probably weather stays", step=0.01),
        },
    )


def _rules(*own: Rule) -> Control:
    names = tuple(rule.name for rule in read_rules((*RULES, *own)))
    return Many("rules", names, names, "which rules learn", tuple(map(said, names)))
