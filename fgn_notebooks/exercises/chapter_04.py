"""Exercises of chapter 04."""

from fgn_notebooks.exercises import Exercise, choice, number

EXERCISES = {
    "04.1": Exercise(
        number(13 / 60, "f' holds P(A=1) times the second row of P(X|A); b' is P(C=1|Y)"),
        "f' = (1/8, 3/8) and b' = (1/5, 3/5). Sum the four products f'(x) theta_xy b'(y).",
    ),
    "04.2": Exercise(
        number(0.75, "evaluate all 101 values and take the position of the largest", 0.006),
        "The messages do not depend on p: compute them once, then block_loglik(matrix, f, b).",
    ),
    "04.3": Exercise(
        choice(
            "no",
            {"yes": "write log(f^T theta 10 b) as a sum of two logs: which one holds theta?"},
        ),
        "A factor of a message is a constant K in formula 8.",
    ),
}
