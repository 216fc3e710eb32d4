"""Exercises of chapter 14."""

import numpy as np

from fgn_notebooks.exercises import Exercise, choice, derive, fault, number, task
from fgn_notebooks.experiments.words import wilson

ONE_OF_FOUR = "on delta messages, what does a rule do with a pair of values but count it?"


def _interval(passed: int, seeds: int) -> np.ndarray:
    return np.array(wilson(passed, seeds))


EXERCISES = {
    "14.1": Exercise(
        number(31.6 / 59.5, "how far above the floor, divided by the ceiling's height above it"),
        "It is 31.6 above the floor.",
        further="Divide the height above the floor by the distance from floor to ceiling.",
    ),
    "14.2": Exercise(
        number(189, "the lower end of the interval must be above 0.9, not the share itself", 0.5),
        "wilson(passed, 200)[0] is the lower end: try from 180 upwards.",
        further="next(k for k in range(180, 201) if wilson(k, 200)[0] > 0.9).",
    ),
    "14.3": Exercise(
        choice("none", dict.fromkeys(("ml", "kl", "vit", "var"), ONE_OF_FOUR)),
        "What are all messages, if every variable is observed? See chapter 09.",
        further="If every variable is observed, all messages are deltas, and chapter 09 says "
        "what each rule does then.",
    ),
    "14.4": derive(
        "By which factor does one passed check change the odds of `it has learned`?",
        "A passed check multiplies the odds that the rule has learned by 0.95 / 0.91, or "
        "1.04: it tells nearly nothing. Hundreds of passes do not help if both would "
        "pass. What matters is the ratio of the two shares, so a good check is one that "
        "an untrained matrix seldom passes. One has to run it on such a matrix to know, "
        "for instance on the uniform matrix and on the floor.",
        further="Multiply the prior odds by P(pass | learned) / P(pass | not learned).",
        points=(
            "a passed check multiplies the odds by 0.95 / 0.91",
            "that is next to nothing, however often it is repeated on the same kind of run",
            "so a check must be tried on matrices that have learned nothing",
        ),
    ),
    "14.5": fault(
        _interval,
        [(200, 200), (190, 200), (3, 10)],
        "what is the width of the interval when every run passed?",
        "Follow the formula of the exercise term by term.",
        further="The centre is (k + z^2 / 2) / (n + z^2), and the half-width z / (n + z^2) "
        "times sqrt(k (n - k) / n + z^2 / 4).",
    ),
    "14.6": task(
        "claims.claim(name).settings shows what can be changed, and .sweeps what was turned.",
        "Several claims of section 7.1 fail when the steps per epoch go to 10 or 20, or when"
        " the table becomes so dependent that VAR learns too. Claims about VIT react to "
        "what becomes of a row without samples, and on the deeper graph to the rule for ties. "
        "Claims about order on a single block reverse when the messages depend on each other, or "
        "when only one of the two is sharpened.",
        further="Pick one claim, change one setting at a time, and say beforehand what you expect.",
        points=(
            "the claim, the setting, and both shares with their intervals",
            "whether the verdict changes",
            "a reason for it, or the next thing to try",
        ),
    ),
}
