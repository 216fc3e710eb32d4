"""Exercises of appendix A."""

import numpy as np

from fgn_notebooks.exercises import Exercise, array, choice, number

EXERCISES = {
    "A.1": Exercise(
        number(10, "each step of X1 skips six configurations, each step of X2 two"),
        "Count how many configurations start with 1, then how many start with 21 or 22.",
    ),
    "A.2": Exercise(
        array(
            np.array([516, 612]) / 1128,
            "sum over the axes of the other three variables, then normalise",
        ),
        "w.reshape(2, 3, 2, 4) has an axis for each variable; sum over the axes 0, 1 and 3.",
    ),
    "A.3": Exercise(
        choice(
            "same",
            {
                "more": "more configurations, but more rows too: how many agree with one value?",
                "fewer": "fix the value of X2: which configurations are left?",
            },
        ),
        "A row belongs to one value of X2; its entries are the configurations of X1 and X3.",
    ),
}
