"""Exercises of chapter 09."""

import numpy as np

from fgn_notebooks.exercises import Exercise, array, derive, fault, number, task


def _kl_shares(theta: np.ndarray, f: np.ndarray, b: np.ndarray) -> np.ndarray:
    return f[:, None] * theta * b / (f @ theta)


EXERCISES = {
    "09.1": Exercise(
        array(
            [[3 / 4, 0.0], [1 / 4, 0.0]],
            "multiply f_l, theta_lm and b_m in each cell, then divide by the sum of all four",
        ),
        "b is zero for the second column; what is left are the two entries of the first one.",
        further="Only the first column is left: f_1 theta_11 b_1 and f_2 theta_21 b_1, "
        "divided by their sum.",
    ),
    "09.2": Exercise(
        number(4, "what is kept, the second number of one_epoch, for each Nit from 1 to 20", 0.5),
        "Give one_epoch the other matrices: they are its first argument.",
        further="1 + int(np.argmax([one_epoch(elsewhere, k)[1] for k in range(1, 21)])), where "
        "elsewhere are the other matrices.",
    ),
    "09.3": Exercise(
        number(0.2, "the largest eigenvalue is 1 + (D - 1) rho, and it must exceed 2"),
        "Solve 1 + 5 rho = 2.",
        further="The largest eigenvalue is that of the vector of all ones: 1 + (D - 1) rho. "
        "Set it to 2.",
    ),
    "09.4": derive(
        "Write the matrix as (1 - rho) times the identity plus rho times the matrix of all ones.",
        "The matrix is (1 - rho) I + rho J, where J holds only ones. J has the eigenvalue"
        " D for the vector of all ones and 0 for every vector orthogonal to it. So the "
        "eigenvalues are 1 - rho + rho D = 1 + (D - 1) rho, once, and 1 - rho, which is "
        "smaller if rho > 0. VAR needs 1 + (D - 1) 0.1 > 2, so D > 11: with twelve "
        "children it can learn.",
        further="Apply the matrix to the vector of all ones, then to a vector whose entries "
        "sum to zero.",
        points=(
            "the two eigenvalues, and the vectors that belong to them",
            "VAR leaves the floor if 1 + (D - 1) rho exceeds 2",
            "for rho = 0.1 this needs at least twelve children",
        ),
    ),
    "09.5": fault(
        _kl_shares,
        [
            (np.array([[0.75, 0.25], [0.25, 0.75]]), np.array([0.6, 0.4]), np.array([0.25, 0.75])),
            (np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([0.3, 0.7]), np.array([0.5, 0.5])),
        ],
        "the columns of KL's table sum to the message b. Do yours?",
        "The denominator of column m is entry m of theta^T f, which is f @ theta.",
        further="f[:, None] * theta * b / (f @ theta): one denominator for each column.",
    ),
    "09.6": task(
        'phases(rules=("vit",), empty="keep").share["vit"] holds the shares.',
        "Random ties change next to nothing, since messages from random matrices are hardly ever "
        "tied. If a row without samples keeps its value, the column of three children changes: "
        "refilled it stays at 0 up to a correlation of 0.4, kept it goes 38 % of the way at 0.22, "
        "53 % at 0.3 and 67 % at 0.4, in the median of six tables. With five children and more "
        "hardly a cell moves. The ledger says the same of the "
        "paper's graph: VIT is second in 42 % of the tables as printed, and in 98 % if such rows "
        "are kept.",
        further='Print phases(rules=("vit",)).share["vit"], then with empty="keep", then with'
        ' ties="random", side by side.',
        points=(
            "what random ties change",
            "what keeping rows without samples changes, and in which column",
            "what that means for a sentence about VIT",
        ),
    ),
}
