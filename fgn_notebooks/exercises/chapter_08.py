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
        further="The first sample gives its two shares to the first column of both rows; the "
        "second one gives 1 to row 1, column 2.",
    ),
    "08.2": Exercise(
        number(0.6753, "400 calls of ml from the uniform matrix, each with alpha=5"),
        "Call ml in a loop, theta = ml(theta, result.f, result.b, alpha=5).",
        further="Start with np.full((2, 2), 1 / 2), call ml 400 times, and give theta[0, 0].",
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
        further="More counts mean a narrower Dirichlet density, whatever the counts are made of.",
    ),
    "08.4": derive(
        "Insert theta_lm = 1/M_Y into ML's step. What is f^T theta b then?",
        "With theta_lm = 1/M_Y everywhere, f^T theta b is 1/M_Y for every sample, since "
        "both messages sum to one. So step 1 of ML gives theta_lm proportional to the sum"
        " over n of f_l b_m, times constants that are the same in a row, and normalising "
        "the rows removes them. This is VAR with delta zero. The old theta dropped out "
        "because it was the same for all cells; VAR behaves as if it were so always.",
        further="f^T theta b = (sum of f) (sum of b) / M_Y. So the denominator is the same "
        "for all samples, and theta is the same in all cells.",
        points=(
            "at the uniform matrix the denominator is 1/M_Y in every sample",
            "what is left is the sum of f_l b_m, with rows normalised, which is VAR",
            "the old theta drops out since it is the same in all cells",
        ),
    ),
    "08.5": fault(
        _told,
        [cases.block(1)[1:], cases.block(2)[1:]],
        "does a block hear its own sample back?",
        "Subtract each sample's own counts from the total.",
        further="own.sum(axis=0) - own: the total, less the block's own table.",
    ),
    "08.6": task(
        "Start from the counts of VAR, and repeat until the mean no longer moves.",
        "The mean of the fuller version comes close to the exact mean, at exponent 5 and "
        "also at exponent 1, because a sample is now split by what is known about theta. "
        "The density still is a product of Dirichlet densities, so its contours stand "
        "upright, and it remains too narrow, since it treats every split as if it were "
        "certain.",
        further="Responsibilities r = f_i theta_ij b_j / q; counts = sum of r; the mean is "
        "(counts + 1) / its row sum; repeat.",
        points=(
            "the mean comes close to the exact one",
            "the width does not: it stays too narrow",
            "the contours of a product of rows cannot lean",
        ),
    ),
}
