"""Exercises of appendix C."""

import numpy as np

from fgn_notebooks.exercises import Exercise, derive, fault, function, task
from fgnwidgets import ml, normalize


def _messages() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    theta = rng.dirichlet(np.ones(3), 2)
    f, b = normalize(rng.random((2, 8))), normalize(rng.random((3, 8)))
    return theta, f, b, np.array([0, 1, 1, 2, 0, 1, 0.5, 3])


def _others(enter: list[np.ndarray]) -> np.ndarray:
    products = (np.prod(enter[:k] + enter[k + 1 :], axis=0) for k in range(len(enter)))
    return np.array([normalize(product) for product in products])


def _entering(zeros: bool) -> list[np.ndarray]:
    messages = [normalize(m) for m in np.random.default_rng(6).random((3, 2, 4))]
    if zeros:
        messages[1] = np.array([[0.0, 0, 0, 0], [1, 1, 1, 1]])
    return messages


EXERCISES = {
    "C.1": Exercise(
        function(ml, [_messages()], "the weight multiplies each sample's term of the sum, once"),
        "weight has one number for each column: multiply f by it where the sum over n is taken.",
        further="Multiply f by weight inside the sum over n: weight * f / (f * (theta @ "
        "b)).sum(axis=0).",
    ),
    "C.2": fault(
        _others,
        [(_entering(False),), (_entering(True),)],
        "what is zero divided by zero? Multiply the others instead",
        "Leave the own message out of the product: enter[:k] + enter[k + 1:].",
        further="unit(np.prod(enter[:k] + enter[k + 1:], axis=0)) for each k, stacked into an"
        " array.",
    ),
    "C.3": derive(
        "Think of a message all of whose inputs are final already. When is it final itself?",
        "A message from a leaf or a source depends on no other message, so it is right after the "
        "first round. A message is right as soon as all the messages it is made of are right and "
        "its node has sent once more. Without loops no message depends on itself, so one can count "
        "its depth: the longest chain of messages it waits for. By induction all messages of depth "
        "d are right after round d + 1, whatever stood there before. Sending too early only writes "
        "a value that a later round replaces.",
        further="Give each message a depth: 1 + the largest depth of those it is made of. "
        "After how many rounds is a message of depth d right?",
        points=(
            "messages of sources and leaves are right after one round",
            "a message is right one round after all it is made of",
            "without loops the depths are finite, so all are right in the end",
        ),
    ),
    "C.4": task(
        "Blocks in a row need no diverter. A must be entered at the open end of its wire: give it "
        "a diverter with a third wire, or observe it through an identity matrix.",
        "Boxes for A, X|A, Y|X and C|Y in a row, with C's column as the backward message of the "
        "last wire. A is seen in the middle of the graph, so its wire is split: a Split whose "
        "second copy carries the evidence. The usual first mistake is to write A's evidence over a "
        "message that a node will overwrite in the next round. With the same start the "
        "log-likelihood agrees with the library's to the last digits, and A's prior is learned to "
        "be the frequencies of A after a single epoch.",
        further="Four Boxes in a row, and a Split between A's source and X|A with a third "
        "wire whose b is A's evidence.",
        points=(
            "how the chain is wired, and where A's evidence enters",
            "the log-likelihood beside the library's",
            "where the first attempt failed",
        ),
    ),
}
