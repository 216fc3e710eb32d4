"""Exercises of chapter 06."""

from fgn_notebooks.exercises import Exercise, cases, choice, derive, fault, number, task
from fgnwidgets import kl

EXERCISES = {
    "06.1": Exercise(
        number(2 / 3, "one step from anywhere gives the average of the backward messages"),
        "Add the first entries of the three backward messages, and divide by their number.",
        further="A single step gives the answer, and it no longer changes after it: the mean "
        "of the three first entries.",
    ),
    "06.2": Exercise(
        number(
            0.023614,
            "take the messages of the new samples, and let both rules take 60 steps from uniform",
            1e-4,
        ),
        "The messages are nearly hard, so the difference is small, and it is not zero.",
        further='propagate(chain, sharp, ends).at_block("Y|X") gives f and b. Then the last '
        'matrix of iterate("ml", ...) and of iterate("kl", ...), and '
        "np.abs(...).max() of the difference.",
    ),
    "06.3": Exercise(
        choice(
            "fall",
            {
                "rise": "ML left no matrix with a higher likelihood than its own",
                "stay": "the bound is not at its highest there, so KL moves away",
            },
        ),
        "It starts at the top of the hill, and KL's own goal lies elsewhere.",
        further="No matrix has a higher likelihood than the one where it starts. So which of "
        "the three answers is left if KL leaves that place?",
    ),
    "06.4": derive(
        "Write Z for the sum of b f. Put log Z under the sum over y, which is allowed "
        "because b sums to one.",
        "With Z = sum of b f, the gap is the sum over y of b (log Z - log f). Multiply "
        "and divide inside by b: log(Z / f) = log(b / (b f / Z)), and b f / Z is the "
        "belief of Y. So the gap is the sum of b log(b / p), which is KL(b || p). It is "
        "zero if and only if the belief equals the backward message. That is so if the "
        "forecast is uniform wherever b is above zero, and in particular if b is a delta "
        "function.",
        further="The belief is p = b f / Z with Z = sum of b f. Replace f by p Z / b in log Z"
        " - log f.",
        points=(
            "with Z under the sum, the gap is the sum of b log(Z / f)",
            "Z / f is b / p, so the gap is KL(b || p)",
            "it is zero if and only if the belief equals b",
        ),
    ),
    "06.5": fault(
        kl,
        [cases.block(1), cases.block(2)],
        "the denominator is the forecast of Y, with one number for each value of Y",
        "The forecast is theta.T @ f; divide b by it before the product with f.",
        further="forecast = theta.T @ f has a row for each value of Y. The step is theta * (f"
        " @ (b / forecast).T), rows normalised.",
    ),
    "06.6": task(
        "Loop over [[p, 1 - p], [1 - p, p]] for C|Y, from p = 0.6 to 1.",
        "ML's error is noise, which grows as p falls: at p = 0.6 a thousand samples leave "
        "its second row far from the truth, and more samples would mend that. KL's rows "
        "move towards each other as p falls, and at p = 0.6 they are nearly equal, with "
        "any number of samples. Nor does its matrix predict C well, because P(C|Y) blurs it "
        "once more: for p = 0.8 and many samples P(C=0|A=0) comes out as 0.55 in place of "
        "0.65. It is acceptable only where p is close to one.",
        further="For each p: messages by propagate, 60 steps of both rules, then print both "
        "matrices beside the true one, with 1000 and with 100 000 samples.",
        points=(
            "where ML and KL end for at least three values of p",
            "which of the two errors shrinks with more samples",
            "a purpose, and from which p on KL is good enough for it",
        ),
    ),
}
