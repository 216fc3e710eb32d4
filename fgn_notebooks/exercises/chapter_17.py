"""Exercises of chapter 17."""

import numpy as np

from fgn_notebooks.exercises import Exercise, derive, fault, number, task


def _wet(clouds: np.ndarray, sprinkler: np.ndarray, rain: np.ndarray, wet: np.ndarray) -> float:
    return float(np.einsum("c,cs,cr,sr->", clouds, sprinkler, rain, wet))


def _case(seed: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    clouds, sprinkler, rain = rng.dirichlet([1, 1]), *rng.dirichlet([1, 1], (2, 2))
    return clouds, sprinkler, rain, rng.random((2, 2))


EXERCISES = {
    "17.1": Exercise(
        number(0.70793, "sum the four weights with rain, and divide by the sum of all", 1e-3),
        "The weights with rain are 0.0396, 0.324, 0.0495 and 0.045.",
        further="Add the four products that have rain, and divide by the sum of all eight.",
    ),
    "17.2": Exercise(
        number(2**21, "how many two-valued variables does the largest product space hold?", 0.5),
        "The product space holds the root and all of its children: the root and twenty of them.",
        further="A product space of k two-valued variables has 2**k configurations. The root "
        "is one of them.",
    ),
    "17.3": derive(
        "Follow the message that Cloudy sends down one side, until it comes back to Cloudy.",
        "What Cloudy says of itself goes down to Rain, through Wet to Sprinkler, and up to Cloudy "
        "again. There it arrives as if it were news. Then it is multiplied with what it came from, "
        "and goes round once more. So the same evidence is counted several times. In a tree a node "
        "never sends back what it got from a branch, and there is no other way back.",
        further="Mark the message that leaves Cloudy, and write down what it is multiplied "
        "with on its way round.",
        points=(
            "what Cloudy says comes back to it as if it were news",
            "so the same evidence is counted more than once",
            "in a tree there is no other way back",
        ),
    ),
    "17.4": fault(
        _wet,
        [_case(0), _case(1)],
        "are the sprinkler and the rain independent, or only given the clouds?",
        "Sum over the clouds last: both factors depend on them, so they stand in one sum.",
        further='np.einsum("c,cs,cr,sr->", ...) sums over the clouds together with the other two.',
    ),
    "17.5": task(
        "graph.loop names a loop, graph.merged().price what it costs, and map who holds what.",
        "There is no single answer. Loops come from common causes of common effects. A merge is "
        "cheap as long as the loops are short and the variables small. If the price is too high, "
        "take out the arrow that says least, hide nothing that was observed, and declare as given "
        "what is always known.",
        further="Write the graph, print graph.loop, then graph.merged().price, then take out "
        "one arrow and compare.",
        points=(
            "the loop and what merging costs",
            "what is lost if an arrow is taken out",
            "an answer that changes by it",
        ),
    ),
}
