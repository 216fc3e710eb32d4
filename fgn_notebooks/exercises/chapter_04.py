"""Exercises of chapter 04."""

from fgn_notebooks.exercises import Exercise, cases, derive, fault, number, task
from fgnwidgets import block_loglik

EXERCISES = {
    "04.1": Exercise(
        number(13 / 60, "f' holds P(A=1) times the second row of P(X|A); b' is P(C=1|Y)"),
        "f' = (1/8, 3/8) and b' = (1/5, 3/5). Sum the four products f'(x) theta_xy b'(y).",
    ),
    "04.2": Exercise(
        number(0.75, "evaluate all 101 values and take the position of the largest", 0.006),
        "The messages do not depend on p: compute them once, then block_loglik(matrix, f, b).",
    ),
    "04.3": derive(
        "Write the logarithm of f^T theta (10 b) as a sum of two logarithms.",
        "log(f^T theta 10 b) = log(f^T theta b) + log 10. Over N samples the log-"
        "likelihood rises by N log 10 for every theta alike, so the same theta is the "
        "best, while the value itself has become meaningless. This is formula 8: a factor"
        " of a message is one of the constants K.",
    ),
    "04.4": fault(
        block_loglik,
        [cases.block(1), cases.block(2)],
        "samples are independent, so their probabilities multiply. What does the "
        "logarithm make of a product?",
        "Take the logarithm of each sample first, then the sum.",
    ),
    "04.5": task(
        "fit(...) keeps run.aggregated and run.loglik for every start and epoch.",
        "With two kinds more than half of the starts fall somewhere, with more kinds it "
        "differs. The falls come early or on flat stretches: the exact log-likelihood "
        "hardly moves there, while the rows of the two kinds exchange what they explain. "
        "A fall is no sign of a bad end; most of these starts reach the same top as the "
        "others.",
    ),
}
