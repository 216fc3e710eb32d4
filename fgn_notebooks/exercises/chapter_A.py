"""Exercises of appendix A."""

import numpy as np

from fgn_notebooks.exercises import Exercise, array, choice, derive, fault, number, task
from fgnwidgets import product_to_variable


def _reaching(message: np.ndarray, sizes: tuple[int, ...], axis: int) -> np.ndarray:
    sums = product_to_variable(sizes, axis).T @ message
    return sums / sums.sum()


EXERCISES = {
    "A.1": Exercise(
        number(10, "each step of X1 skips six configurations, each step of X2 two"),
        "Count how many configurations start with 1, then how many start with 21 or 22.",
        further="(value of X1 - 1) times the number of pairs of the other two, plus (value of"
        " X2 - 1) times the size of X3, plus (value of X3 - 1).",
    ),
    "A.2": Exercise(
        array(
            np.array([516, 612]) / 1128,
            "sum over the axes of the other three variables, then normalise",
        ),
        "w.reshape(2, 3, 2, 4) has an axis for each variable; sum over the axes 0, 1 and 3.",
        further="w.reshape(2, 3, 2, 4).sum(axis=(0, 1, 3)), divided by its sum.",
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
        further="In the row of one value of X2 there is an entry for each pair of X1 and X3. "
        "Does the number of these pairs change?",
    ),
    "A.4": derive(
        "In formula 30, how many configurations have a given value of X_k?",
        "Column x of formula 30 has a one for every configuration in which X_k = x. There"
        " are as many as the other variables have joint values, which is the product of "
        "all sizes divided by M_k. So a row of the transpose has this many ones, and the "
        "factor M_k / product makes each row sum to one. The entries are equal, which is "
        "the uniform ambiguity.",
        further="In column x, X_k is fixed and the others are free: count them. That many "
        "entries of M_k / product sum to one.",
        points=(
            "a column has as many ones as the other variables have joint values",
            "that number times the factor is one",
            "all entries of a row are equal",
        ),
    ),
    "A.5": fault(
        _reaching,
        [(np.arange(1.0, 13), (2, 3, 2), 1), (np.arange(24.0), (2, 3, 4), 0)],
        "the first variable varies slowest: which order of NumPy is that?",
        'Without order="F" NumPy lets the last axis vary fastest.',
        further='Leave out order="F".',
    ),
    "A.6": task(
        "fit(whole, table, alpha=...), and test on new samples from the same prior.",
        "Without pseudo-counts a single new configuration has probability zero, and the "
        "test log-likelihood is minus infinity. With a pseudo-count between about 0.1 and"
        " 1 in each of the 32 cells it predicts tolerably. Three hidden states have 17 "
        "parameters in place of 31 and usually predict better from 60 samples, if the "
        "table has such a structure at all.",
        further="Learn with alpha from 0.01 to 10, and take the mean loglik of 1000 new "
        "samples; do the same with a hidden variable of three states.",
        points=(
            "why no pseudo-count means minus infinity",
            "the pseudo-count that predicted best",
            "how three hidden states compare, with their number of parameters",
        ),
    ),
}
