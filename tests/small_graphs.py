"""Graphs that are small enough for whole tables: with two loops, and with a given variable."""

from fgnwidgets import BayesGraph

LOOP = BayesGraph(
    {"S": 3, "A": ("no", "yes"), "B": 3, "C": 2, "D": 2, "E": 2},
    {"A": "S", "B": "S", "C": ("A", "B"), "D": "C", "E": ("B", "D")},
)
COUNTRY = BayesGraph(
    {"G": 3, "S": 2, "A": 2, "B": 3, "C": 2},
    {"S": "G", "A": ("S", "G"), "B": "S", "C": ("A", "B")},
    given=["G"],
)
