"""Small networks from textbooks as ``(graph, theta)``, with names for their states.

``student``   Koller and Friedman (2009), without loops
``cancer``    Korb and Nicholson (2010)
``umbrella``  Russell and Norvig, section 15.2: a chain whose days share their matrices
``asia``      Lauritzen and Spiegelhalter (1988): a loop
``sprinkler`` Murphy (1998), after Pearl: a small loop
``two_sensors`` a chain A -> X -> Y -> C of which only the ends are seen

``examination`` is the running case of chapters 04 to 13: a graph with a real table.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from fgn_notebooks.data import exam
from fgnwidgets import BayesGraph

Example = tuple[BayesGraph, dict[str, np.ndarray]]


def student() -> Example:
    """Difficulty and intelligence decide a grade, which decides a letter; and a test score."""
    graph = BayesGraph(
        {
            "Difficulty": ("easy", "hard"),
            "Intelligence": ("low", "high"),
            "Grade": ("A", "B", "C"),
            "SAT": ("low", "high"),
            "Letter": ("weak", "strong"),
        },
        {"Grade": ("Intelligence", "Difficulty"), "SAT": "Intelligence", "Letter": "Grade"},
    )
    theta = {
        "Difficulty": [[0.6, 0.4]],
        "Intelligence": [[0.7, 0.3]],
        "Grade|Intelligence,Difficulty": [
            [0.3, 0.4, 0.3],
            [0.05, 0.25, 0.7],
            [0.9, 0.08, 0.02],
            [0.5, 0.3, 0.2],
        ],
        "SAT|Intelligence": [[0.95, 0.05], [0.2, 0.8]],
        "Letter|Grade": [[0.1, 0.9], [0.4, 0.6], [0.99, 0.01]],
    }
    return graph, _arrays(theta)


def cancer() -> Example:
    """Pollution and smoking cause cancer, which shows in an X-ray and in dyspnoea."""
    graph = BayesGraph(
        {
            "Pollution": ("high", "low"),
            "Smoker": ("yes", "no"),
            "Cancer": ("yes", "no"),
            "Xray": ("positive", "negative"),
            "Dyspnoea": ("yes", "no"),
        },
        {"Cancer": ("Pollution", "Smoker"), "Xray": "Cancer", "Dyspnoea": "Cancer"},
    )
    theta = {
        "Pollution": [[0.1, 0.9]],
        "Smoker": [[0.3, 0.7]],
        "Cancer|Pollution,Smoker": [[0.05, 0.95], [0.02, 0.98], [0.03, 0.97], [0.001, 0.999]],
        "Xray|Cancer": [[0.9, 0.1], [0.2, 0.8]],
        "Dyspnoea|Cancer": [[0.65, 0.35], [0.3, 0.7]],
    }
    return graph, _arrays(theta)


def asia() -> Example:
    """A journey to Asia, smoking, three lung diseases, an X-ray and dyspnoea; there is a loop."""
    names = ("asia", "tub", "smoke", "lung", "bronc", "either", "xray", "dysp")
    graph = BayesGraph(
        dict.fromkeys(names, ("yes", "no")),
        {
            "tub": "asia",
            "lung": "smoke",
            "bronc": "smoke",
            "either": ("tub", "lung"),
            "xray": "either",
            "dysp": ("bronc", "either"),
        },
    )
    theta = {
        "asia": [[0.01, 0.99]],
        "tub|asia": [[0.05, 0.95], [0.01, 0.99]],
        "smoke": [[0.5, 0.5]],
        "lung|smoke": [[0.1, 0.9], [0.01, 0.99]],
        "bronc|smoke": [[0.6, 0.4], [0.3, 0.7]],
        "either|tub,lung": [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
        "xray|either": [[0.98, 0.02], [0.05, 0.95]],
        "dysp|bronc,either": [[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.1, 0.9]],
    }
    return graph, _arrays(theta)


def sprinkler() -> Example:
    """The sprinkler and the rain depend on clouds, and either makes the grass wet."""
    graph = BayesGraph(
        dict.fromkeys(("Cloudy", "Sprinkler", "Rain", "Wet"), ("yes", "no")),
        {"Sprinkler": "Cloudy", "Rain": "Cloudy", "Wet": ("Sprinkler", "Rain")},
    )
    theta = {
        "Cloudy": [[0.5, 0.5]],
        "Sprinkler|Cloudy": [[0.1, 0.9], [0.5, 0.5]],
        "Rain|Cloudy": [[0.8, 0.2], [0.2, 0.8]],
        "Wet|Sprinkler,Rain": [[0.99, 0.01], [0.9, 0.1], [0.9, 0.1], [0.0, 1.0]],
    }
    return graph, _arrays(theta)


def two_sensors() -> Example:
    """The chain A -> X -> Y -> C: A and C are what two sensors say about the hidden X and Y."""
    graph = BayesGraph(dict.fromkeys("AXYC", 2), {"X": "A", "Y": "X", "C": "Y"})
    theta = {
        "A": [[0.5, 0.5]],
        "X|A": [[0.9, 0.1], [0.2, 0.8]],
        "Y|X": [[0.8, 0.2], [0.3, 0.7]],
        "C|Y": [[0.9, 0.1], [0.1, 0.9]],
    }
    return graph, _arrays(theta)


def umbrella(days: int = 5) -> Example:
    """A hidden Markov model: rain on each day, seen through umbrellas; matrices are tied."""
    rain, seen = (
        [f"Rain{d}" for d in range(1, days + 1)],
        [f"Umbrella{d}" for d in range(1, days + 1)],
    )
    states = dict.fromkeys(rain, ("rain", "dry")) | dict.fromkeys(seen, ("yes", "no"))
    parents = dict(zip(rain[1:], rain, strict=False)) | dict(zip(seen, rain, strict=True))
    tied = dict.fromkeys(rain[1:], "transition") | dict.fromkeys(seen, "emission")
    theta = {
        "Rain1": [[0.5, 0.5]],
        "transition": [[0.7, 0.3], [0.3, 0.7]],
        "emission": [[0.9, 0.1], [0.2, 0.8]],
    }
    return BayesGraph(states, parents, theta=tied), _arrays(theta)


def examination(kinds: int = 2) -> tuple[BayesGraph, dict[str, np.ndarray], np.ndarray]:
    """The course's running case: a hidden kind of candidate above five questions.

    The graph, the 32 patterns of answers (1 is right), and how many candidates gave each.
    """
    answers, counts = exam()
    graph = BayesGraph.from_table(answers, dict.fromkeys(answers, "Kind"), hidden={"Kind": kinds})
    return graph, answers, counts


def enumerated(
    graph: BayesGraph, theta: Mapping[str, np.ndarray], seen: Mapping[str, Any]
) -> dict[str, np.ndarray]:
    """The posterior of every variable, by a sum over all complete cases: for small graphs only.

    A case has the product of one entry of each matrix, the row that its parents' states choose and
    the column of the child's own. No message is sent.
    """
    names = list(graph.variables)
    cases = np.array(list(np.ndindex(*(v.size for v in graph.variables.values()))))
    at = {name: cases[:, k] for k, name in enumerate(names)}
    weight = np.ones(len(cases))
    for name, parents in graph.parents.items():
        row = np.zeros(len(cases), dtype=int)
        for parent in parents:
            row = row * graph.variables[parent].size + at[parent]
        weight *= np.asarray(theta[graph.theta[name]])[row, at[name]]
    for name, state in seen.items():
        weight *= at[name] == graph.variables[name].states.index(state)
    return {
        name: np.bincount(at[name], weight, graph.variables[name].size) / weight.sum()
        for name in names
    }


def _arrays(theta: dict[str, list[list[float]]]) -> dict[str, np.ndarray]:
    return {name: np.array(matrix) for name, matrix in theta.items()}
