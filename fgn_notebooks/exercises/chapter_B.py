"""Exercises of Appendix B."""

import numpy as np

from fgn_notebooks.exercises import Exercise, cases, choice, derive, fault, number, task


def _multipliers(theta: np.ndarray, f: np.ndarray, b: np.ndarray) -> np.ndarray:
    slope = (f / np.einsum("ln,lm,mn->n", f, theta, b)) @ b.T
    return (theta * slope).sum(axis=1, keepdims=True) - slope


EXERCISES = {
    "B.1": Exercise(
        number(4 / 3, "lambda is c - G: the count of the row, minus the slope of that coefficient"),
        "q is 3/4 in both samples, so G = (2, 2/3), and the row's count c is 2, all samples.",
        further="c is the number of samples; G of the second coefficient is that number times"
        " b_2 / q, with q = b_1 at the solution.",
    ),
    "B.2": Exercise(
        number(26, "evaluate gap along path and take the first step below 0.1", 0.1),
        "enumerate(path) gives the number of steps with each matrix.",
        further="next(k for k, theta in enumerate(path) if gap(theta) < 0.1).",
    ),
    "B.3": Exercise(
        choice(
            "zero",
            {
                "positive": "then lambda times theta would not be zero",
                "not say": "read the slackness condition once more",
            },
        ),
        "A wall pushes only where it is touched.",
        further="lambda * theta = 0, and lambda is not zero.",
    ),
    "B.4": derive(
        "Insert the definition of c_l and exchange the two sums.",
        "c_l is the sum over n of L[n] times the sum over m of f_l theta_lm b_m, divided "
        "by q[n]. Add over l: the numerator becomes the sum over l and m, which is q[n] "
        "itself. So each sample contributes L[n] times one, and the total is the sum of "
        "L[n]. In words: all evidence used, every sample belongs to some row, with shares"
        " that sum to one.",
        further="sum over l and m of f_l theta_lm b_m is q[n], which cancels the denominator.",
        points=(
            "the double sum in the numerator is q[n]",
            "so each sample contributes its weight once",
            "in words: every sample belongs to the rows with shares that sum to one",
        ),
    ),
    "B.5": fault(
        _multipliers,
        [cases.block(1), cases.block(2)],
        "which multiplier is missing, that of the row sums?",
        "With beta restored, lambda_lm = c_l - G_lm.",
        further="(theta * slope).sum(axis=1, keepdims=True) - slope, with slope = (f / q) @ b.T.",
    ),
    "B.6": task(
        "The derivative of formula 17 is F_l minus the sum over n of f_l b_m divided by "
        "the forecast.",
        "It goes the same way. With H_lm the sum of L f_l b_m / forecast_m, stationarity "
        "reads -H + F - lambda + beta = 0, and slackness gives theta = theta H / (its row"
        " sum). Dropping beta would again be wrong in general: the sum of theta_lm H_lm "
        "over m is F_l only if the block's posterior share of row l agrees with the "
        "forward one. At the end of a run lambda is non-negative and lambda theta is "
        "zero.",
        further="Replace G by H_lm = sum of L f_l b_m / forecast_m and repeat each line, beta"
        " included.",
        points=(
            "stationarity and slackness with H in place of G",
            "the step theta = theta H over its row sum",
            "beta is not zero in general, checked with numbers",
        ),
    ),
}
