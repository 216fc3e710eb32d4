"""Exercises of chapter 04."""

from fgn_notebooks.exercises import Exercise, cases, derive, fault, number, task
from fgnwidgets import block_loglik

EXERCISES = {
    "04.1": Exercise(
        number(13 / 60, "f' holds P(A=1) times the second row of P(X|A); b' is P(C=1|Y)"),
        "f' = (1/8, 3/8) and b' = (1/5, 3/5). Sum the four products f'(x) theta_xy b'(y).",
        further="f' is P(A=1) times the second row of P(X|A), and b' is the second column of "
        "P(C|Y).",
    ),
    "04.2": Exercise(
        number(0.75, "evaluate all 101 values and take the position of the largest", 0.006),
        "The messages do not depend on p: compute them once, then block_loglik(matrix, f, b).",
        further="grid = np.linspace(0, 1, 101); evaluate block_loglik for each p with the "
        "same f and b, and take grid[argmax].",
    ),
    "04.3": derive(
        "Write the logarithm of f^T theta (10 b) as a sum of two logarithms.",
        "log(f^T theta 10 b) = log(f^T theta b) + log 10. Over N samples the log-"
        "likelihood rises by N log 10 for every theta alike, so the same theta is the "
        "best, while the value itself has become meaningless. This is formula 8: a factor"
        " of a message is one of the constants K.",
        further="log(10 x) = log 10 + log x. Sum over the samples, and see which part depends"
        " on theta.",
        points=(
            "the log-likelihood rises by N log 10, the same for every theta",
            "so the best theta does not change",
            "the value no longer is the log of a probability",
        ),
    ),
    "04.4": fault(
        block_loglik,
        [cases.block(1), cases.block(2)],
        "samples are independent, so their probabilities multiply. What does the "
        "logarithm make of a product?",
        "Take the logarithm of each sample first, then the sum.",
        further="np.log(each).sum() in place of np.log(each.sum()).",
    ),
    "04.5": task(
        "fit(...) keeps run.aggregated and run.loglik for every start and epoch.",
        "Within 20 epochs 56 of 100 starts fall with two kinds, 20 with three and 5 with "
        "four; if one waits 1000 epochs, the last two become 40 and 57. A fall is no sign"
        " of a bad end: with two and three kinds all starts reach the same maximum, whether "
        "they fell or not. The falls come on flat stretches, where the exact log-"
        "likelihood hardly moves.",
        further="(np.diff(run.aggregated[:21], axis=0) < -1e-9).any(axis=0).sum() counts the "
        "starts that fall within 20 epochs.",
        points=(
            "how the number of falls depends on the number of kinds",
            "how it depends on the epochs that you wait",
            "whether the starts that fall end lower than the others",
        ),
    ),
}
