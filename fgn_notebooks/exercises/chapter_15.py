"""Exercises of chapter 15."""

import numpy as np

from fgn_notebooks.exercises import Exercise, array, derive, fault, number, task


def _score(train: np.ndarray, test: np.ndarray) -> np.ndarray:
    return np.asarray(test[np.argmax(train)])


EXERCISES = {
    "15.1": Exercise(
        number(0.5 / 56, "how much do all twelve cells add to the sum of the counts?", 1e-4),
        "The probability is (0 + 0.5) / (50 + 12 * 0.5).",
        further="Every cell receives the pseudo-count, so the sum is the number of rows plus "
        "twelve pseudo-counts.",
    ),
    "15.2": Exercise(
        array(
            [0.10195, 0.81873],
            "add the pseudo-count first, and take psi of the row's sum from each: psi(1) = -0.5772 "
            "and psi(x + 1) = psi(x) + 1 / x",
            2e-3,
        ),
        "The entries are exp(psi(1) - psi(6)) and exp(psi(5) - psi(6)), and psi(6) = psi(5) + 1/5.",
        further="With the pseudo-count added, each entry is exp(psi(count) - psi(sum of the row)).",
    ),
    "15.3": derive(
        "Take one row of a certain kind out of the table. What are the counts of the others?",
        "If a row of the kind c is taken out, N - 1 rows are left, and of its own kind n_c - 1. "
        "The smoothed table gives it (n_c - 1 + a) / (N - 1 + a K). The kind has n_c rows, each of "
        "which is left out once, so the sum over all rows is the sum over kinds of n_c times the "
        "log of that. A kind that was seen once gives a / (N - 1 + a K), which forbids a = 0.",
        further="Leave one row of kind c out: its count falls by one, and so does N. Multiply"
        " by how many such rows there are.",
        points=(
            "a row left out changes its own count and the total by one",
            "the sum over rows is a sum over kinds, weighted with their counts",
            "a kind seen once forbids a pseudo-count of zero",
        ),
    ),
    "15.4": fault(
        _score,
        [
            (np.array([-5.0, -3.0, -4.0]), np.array([-9.0, -8.0, -2.0])),
            (np.array([-1.0, -2.0]), np.array([-3.0, -1.0])),
        ],
        "may the rows that judge have a say in which start is chosen?",
        "Choose by what is known when learning ends: the likelihood of the rows learned from.",
        further="test[np.argmax(train)].",
    ),
    "15.5": task(
        "real_case takes a mapping of columns, their counts, and how many rows to learn from.",
        "There is no single answer. On most small tables ML with half a count is the best or close "
        "to it, ML without is far behind as long as rows are few, and the smoothed table wins if "
        "there are many rows for each possible one. If yours disagrees, look how many rows were "
        "called impossible, and whether more or fewer states change the order.",
        further="Give real_case the columns as integer codes, and half of the rows to learn from.",
        points=(
            "the table, and how many rows were learned from",
            "which rule did best on the other rows, and by how much",
            "whether more states change the order",
        ),
    ),
}
