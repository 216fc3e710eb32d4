"""Exercises of chapter 01."""

import numpy as np

from fgn_notebooks.exercises import Exercise, array, choice, derive, fault, number, task
from fgnwidgets import normalize


def _back(theta: np.ndarray, b_y: np.ndarray) -> np.ndarray:
    return normalize(theta @ b_y)


EXERCISES = {
    "01.1": Exercise(
        number(4 / 7, "multiply value by value, then divide by the sum of the two products"),
        "The products are 3/15 and 4/15; only their proportion counts.",
        further="Write both products over the same denominator. The belief is the second one "
        "divided by their sum.",
    ),
    "01.2": Exercise(
        array(
            [11 / 27, 16 / 27],
            "b_X = theta b_Y, without a transpose, then normalised to sum to one",
        ),
        "theta @ b_y wants a column: np.array([[0.1], [0.3], [0.6]]). Then normalize it.",
        further="Each entry of b_X is a row of theta times b_Y: for the first one 0.5 * 0.1 +"
        " 0.25 * 0.3 + 0.25 * 0.6.",
    ),
    "01.3": Exercise(
        choice(
            "backward",
            {
                "forward": "what goes to Z1 is the product of what comes from everywhere else",
                "both": "does a diverter send back on a branch what came from it?",
            },
        ),
        "The forward message of X(1) is the product of f on X(0) and b on X(2) and X(3).",
        further="The report enters below Z1 and goes up through its block. On X(1) that is "
        "the message against the arrow. Does it also come back down?",
    ),
    "01.4": derive(
        "Write the belief of the branch X(m) as forward times backward, and insert the "
        "rule for the forward message.",
        "On X(m) the forward message is the product of f on X(0) and of all b on X(j) "
        "with j different from m. Times the branch's own b on X(m), this is f on X(0) "
        "times the product of all b, in which m no longer occurs. On X(0) the backward "
        "message is the product of all b, and times f it is the same product. So all "
        "beliefs are equal up to a factor, and after normalising they are equal.",
        further="On X(m): f is f0 times all b but its own, and b is its own. Multiply. Then "
        "do the same on X(0), where f is f0 and b is the product of all b.",
        points=(
            "on a branch below, forward times backward is f0 times all backward messages",
            "on the branch above it is the same product",
            "normalising removes a common factor, so the beliefs are equal",
        ),
    ),
    "01.5": fault(
        _back,
        [
            (np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([[0.2], [0.8]])),
            (np.array([[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]]), np.array([[0.1], [0.3], [0.6]])),
        ],
        "each entry of the result belongs to a value of X, so to a row of theta",
        "The transpose belongs to the forward message. A symmetric matrix hides the mistake.",
        any_scale=True,
        further="b_X has as many entries as theta has rows, so the matrix must meet b_Y "
        "without a transpose.",
    ),
    "01.6": task(
        "The product of the backward messages at the diverter must be uniform for the first part.",
        "The belief does not move if the product of the three backward messages is "
        "uniform, for instance with reports that say dry at 2 to 1, dry at 2 to 1, and "
        "rain at 4 to 1. One report outweighs two others if its odds are larger than the "
        "product of theirs. Only ratios matter, so three weak instruments can equal one "
        "strong one.",
        further="Write each report as odds for dry. Along a diverter odds multiply, so look "
        "for three numbers whose product is 1.",
        points=(
            "the odds of the three reports multiply, and a product of one moves nothing",
            "one report outweighs two if its odds exceed the product of theirs",
            "an example with numbers for each case",
        ),
    ),
}
