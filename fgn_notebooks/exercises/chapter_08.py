"""Exercises of chapter 08."""

import numpy as np

from fgn_notebooks.exercises import Exercise, array, cases, choice, derive, fault, number, task


def _told(f: np.ndarray, b: np.ndarray) -> np.ndarray:
    own = np.einsum("ln,mn->nlm", f, b)
    return own.sum(axis=0) - own


EXERCISES = {
    "08.1": Exercise(
        array(
            [[1 / 3, 2 / 3], [1.0, 0.0]],
            "the first sample gives half to each row's first column, the second one to row 1 alone",
        ),
        "Add the two tables f b^T, then divide each row by its sum.",
    ),
    "08.2": Exercise(
        number(0.6753, "400 calls of ml from the uniform matrix, each with alpha=5"),
        "Call ml in a loop, theta = ml(theta, result.f, result.b, alpha=5).",
    ),
    "08.3": Exercise(
        choice(
            "narrower",
            {
                "wider": "each sample adds a quarter to every cell's count",
                "same": "that is the exact density; what does VAR make of a uniform message?",
            },
        ),
        "Each sample that says nothing still adds a fraction to every cell.",
    ),
    "08.4": derive(
        "Insert theta_lm = 1/M_Y into ML's step. What is f^T theta b then?",
        "With theta_lm = 1/M_Y everywhere, f^T theta b is 1/M_Y for every sample, since "
        "both messages sum to one. So step 1 of ML gives theta_lm proportional to the sum"
        " over n of f_l b_m, times constants that are the same in a row, and normalising "
        "the rows removes them. This is VAR with delta zero. The old theta dropped out "
        "because it was the same for all cells; VAR behaves as if it were so always.",
    ),
    "08.5": fault(
        _told,
        [cases.block(1)[1:], cases.block(2)[1:]],
        "does a block hear its own sample back?",
        "Subtract each sample's own counts from the total.",
    ),
    "08.6": task(
        "Start from the counts of VAR, and repeat until the mean no longer moves.",
        "The mean of the fuller version comes close to the exact mean, at exponent 5 and "
        "also at exponent 1, because a sample is now split by what is known about theta. "
        "The density still is a product of Dirichlet densities, so its contours stand "
        "upright, and it remains too narrow, since it treats every split as if it were "
        "certain.",
    ),
}
