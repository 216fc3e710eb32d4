"""Exercises of chapter 02."""

import numpy as np

from fgn_notebooks.exercises import Exercise, choice, derive, fault, number, task


def _place(sizes: list[int], values: list[int]) -> np.ndarray:
    return np.asarray(np.ravel_multi_index(values, sizes))


EXERCISES = {
    "02.1": Exercise(
        number(9, "did you count the two shaded blocks, and the diverter of the product space?"),
        "Two sources, three blocks to learn, two shaded blocks; one diverter joins the parents in "
        "their product space, another serves the two children of cancer.",
        further="Each parent has a source and a shaded block, and cancer, X-ray and dyspnoea "
        "have a block each. Which variables need a diverter?",
    ),
    "02.2": Exercise(
        number(71, "a matrix of r rows and c columns has r (c - 1); sources have one row"),
        "forest.normal_form().matrices holds the shape (rows, columns) of every matrix.",
        further="Sum r * (c - 1) over forest.normal_form().matrices.values().",
    ),
    "02.3": Exercise(
        choice(
            "y2",
            {
                "s1": "what goes up from an unseen Y2 into the product space is uniform",
                "s3": "S3 meets Y2 only at X3, and X3 is not seen",
                "y1": "Y1 hears of S2 only through S1: does S1 change?",
            },
        ),
        "Follow the message of S2: it goes down to its child. What comes back from variables that "
        "nobody has seen is uniform.",
        further="S2 has one child. The message reaches it from above, and goes on to what "
        "lies below that child. Which of the four names is that child?",
    ),
    "02.4": derive(
        "What is the backward message of an unseen X, and what does a row-stochastic "
        "matrix make of it?",
        "The backward message of an unseen X is uniform. The block sends back theta times"
        " a uniform column, and since every row of theta sums to one, that is uniform "
        "over the product space. The diverter sends towards parent k the product of this "
        "uniform message and of what the other parents say. The shaded block of parent k "
        "sums it over all configurations with the same value of parent k. Each of these "
        "sums is the product of the other parents' totals, the same for every value, so "
        "the message is uniform.",
        further="theta times a column of equal numbers is again a column of equal numbers. "
        "Follow it through the diverter and the shaded block of parent k.",
        points=(
            "an unseen X sends back a uniform message",
            "rows sum to one, so the block passes on a uniform message over the product space",
            "the shaded block sums it for each value of its parent, and all sums are equal",
        ),
    ),
    "02.5": fault(
        _place,
        [([2, 3, 2], [1, 0, 1]), ([2, 3, 4], [1, 2, 3]), ([3, 2], [2, 0])],
        "which digit counts in steps of one: the first or the last?",
        "Start with the first value; each further one multiplies the place by its own size.",
        further="For the first variable to vary slowest, the loop must meet it first: do not "
        "reverse the lists.",
    ),
    "02.6": task(
        "BayesGraph refuses the loop and names the variables. Their joint states are the "
        "merged variable.",
        "The merged graph can say everything that the loop says, and it costs parameters: "
        "two variables of 3 values become one of 9. Leaving out an arrow is cheaper, and it "
        "states an independence that "
        "may be false. The two graphs agree on evidence that does not touch the missing "
        "arrow, and differ most when both ends of it are asked about together.",
        further="Count the parameters as sum(r * (c - 1)) over the matrices of each normal "
        "form, then ask both graphs the same question with the same evidence.",
        points=(
            "both graphs, with their numbers of parameters",
            "the independence that the left-out arrow asserts",
            "a question on which they agree, and one on which they do not",
        ),
    ),
}
