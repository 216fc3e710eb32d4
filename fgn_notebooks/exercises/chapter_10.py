"""Exercises of chapter 10."""

import numpy as np

from fgn_notebooks.exercises import Exercise, choice, derive, fault, number, task
from fgnwidgets import sharpen

EXERCISES = {
    "10.1": Exercise(
        number(2 / 3, "square the three numbers, then divide by their sum"),
        "The squares are in the ratio 1 to 1 to 4.",
        further="Divide the largest power by the sum of the three powers.",
    ),
    "10.2": Exercise(
        number(0.9, "one_block_ranking with these settings and n_seeds=50, then .beats", 0.021),
        'beats("vit", "var") gives the frequency first, then its interval.',
        further='one_block_ranking(...).beats("vit", "var")[0] with the settings of the question.',
    ),
    "10.3": Exercise(
        choice(
            "kl",
            {
                "vit": "VIT hardens the forward message as well, and that one is smooth",
                "var": "VAR never looks at theta; which rule has ML's denominator here?",
            },
        ),
        "When b is a delta function, two rules have the same denominator.",
        further="If b is a delta at m, then f^T theta b is entry m of the forecast.",
    ),
    "10.4": derive(
        "Normalising only multiplies by a constant. What does a constant become under a power?",
        "Sharpening with u makes an entry p_i proportional to p_i to the power u. "
        "Sharpening the result with v raises it again, to p_i to the power uv, and the "
        "constant of the first normalising becomes another constant, which the second one"
        " removes. The odds of two values, p_i / p_j, are raised to the power: 1 to 4 "
        "becomes 1 to 16 for u = 2. So the logarithm of the odds is multiplied by u.",
        further="p^u / Z, raised to v, is p^(uv) / Z^v. What becomes of Z^v when you "
        "normalise once more?",
        points=(
            "the powers multiply, the constants drop out",
            "the odds are raised to the power",
            "so log-odds are multiplied by it",
        ),
    ),
    "10.5": fault(
        sharpen,
        [
            (np.array([[0.2, 0.5], [0.8, 0.5]]), 2),
            (np.array([[0.1, 0.3], [0.2, 0.3], [0.7, 0.4]]), 5),
        ],
        "a message is a column: which sums must be one?",
        "sum(axis=0) adds up each column.",
        further="raised / raised.sum(axis=0).",
    ),
    "10.6": task(
        "Only n changes in the cell of the chain; ML gets alpha by on_halves(..., alpha=...).",
        "With 100 samples in the training half ML was best in 54 % of the sets and with "
        "1000 in 90 %, so about 1000 are needed. With alpha=5 already 500 are enough (92 "
        "%). But with 100 samples the same alpha ruins ML (14 %), as it pulls the matrix "
        "towards the uniform one and so towards VAR. A pseudo-count must be small against"
        " the samples.",
        further="Change n in the cell of the chain, and pass alpha=5 to on_halves; ml_best of its "
        "result is how often ML is best on the other half.",
        points=(
            "from how many samples on ML wins on new samples",
            "what a pseudo-count changes with many samples",
            "what the same pseudo-count does with few",
        ),
    ),
}
