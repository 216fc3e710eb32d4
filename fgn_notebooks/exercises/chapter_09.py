"""Exercises of chapter 09."""

from fgn_notebooks.exercises import Exercise, array, number

EXERCISES = {
    "09.1": Exercise(
        array(
            [[3 / 4, 0.0], [1 / 4, 0.0]],
            "multiply f_l, theta_lm and b_m in each cell, then divide by the sum of all four",
        ),
        "b is zero for the second column; what is left are the two entries of the first one.",
    ),
    "09.2": Exercise(
        number(4, "what is kept, the second number of one_epoch, for each Nit from 1 to 20", 0.5),
        "Compute flow and old again: one_epoch reads them.",
    ),
    "09.3": Exercise(
        number(0.2, "the largest eigenvalue is 1 + (D - 1) rho, and it must exceed 2"),
        "Solve 1 + 5 rho = 2.",
    ),
}
