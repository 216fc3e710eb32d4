"""Exercises of chapter 12."""

import numpy as np

from fgn_notebooks.exercises import Exercise, choice, derive, fault, number, task
from fgnwidgets import variable_to_product


def _from_second(m1: int, m2: int) -> np.ndarray:
    return variable_to_product((m1, m2), 1)


EXERCISES = {
    "12.1": Exercise(
        number(0.25, "given S3, how many pairs (Y2, S3) are still possible?"),
        "A row sums to one, and shares it equally among the values of the other variable.",
        further="Given S3, the pairs differ in Y2 only, so there are as many as Y2 has values.",
    ),
    "12.2": Exercise(
        number(17, "a matrix of two columns has one parameter in each row; a pair has four rows"),
        "Three priors, three blocks with one parent, two blocks with two parents.",
        further="Three priors with 1 each, three blocks with 2 each, two blocks with 4 each.",
    ),
    "12.3": Exercise(
        choice(
            "stay",
            {
                "rise": "the likelihoods may rise, but what is the ceiling made of?",
                "fall": "what is the ceiling made of?",
            },
        ),
        "The ceiling is computed from the counts of the table, without any graph.",
        further="saturated(...) takes the table, and of the graph only which variables are "
        "observed.",
    ),
    "12.4": derive(
        "Given Y1, which of X1, X2 and X3 are independent? Use d-separation.",
        "X1 and X2 are children of Y1 alone, and every path from them to X3 passes Y1 as "
        "a common cause or a step. So given Y1 all three are independent, and P(x1,x2,x3)"
        " is the sum over y of P(y) P(x1|y) P(x2|y) P(x3|y), a star with Y1 in the "
        "middle. P(x3|y) is the sum over s1, s2, s3, y2 of P(s1|y) P(s2) P(y2|s1,s2) "
        "P(s3) P(x3|y2,s3). Any row can arise in this way, so the data cannot tell the "
        "two graphs apart.",
        further="Write P(x1, x2, x3) as a sum over y, and put everything about S1, S2, S3 and"
        " Y2 into the factor of x3.",
        points=(
            "given Y1, the three leaves are independent",
            "so the table is that of a star with Y1 in the middle",
            "hence no table of the leaves can tell the two graphs apart",
        ),
    ),
    "12.5": fault(
        _from_second,
        [(2, 3), (4, 2), (2, 2)],
        "the first variable varies slowest: in which order are the pairs for sizes 2 and 3?",
        "The Kronecker product has the first variable's factor on the left.",
        further="np.kron of a row of ones for the first variable with the identity of the "
        "second, scaled so that rows sum to one.",
    ),
    "12.6": task(
        "Give fit a table with a column Y1 that is None in most rows.",
        "Observed values of Y1 fix which state is which, and with all 100 the two blocks "
        "below Y1 are exactly what counting gives. Report how fast you come there. For "
        "the rest of the forest expect little: S1, S2, S3 and Y2 are still seen only "
        "through single columns, and many matrices give the same table.",
        further="Set all but k values of Y1 to None, fit, and compare the blocks below Y1 "
        "with counting, for k = 0, 10, 50, 100.",
        points=(
            "how many observed values fix the order of the states",
            "what becomes of the blocks below Y1",
            "which matrices stay undetermined",
        ),
    ),
}
