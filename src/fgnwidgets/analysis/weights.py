"""Weights that are no counts of equal rows: those of a survey.

Vocabulary
    counts   weights that say how many equal samples a row stands for: their sum is n
    survey   weights that say how many people a respondent stands for (sampling weights). Their sum
             is the size of a population, and any multiple of them says the same

``loglik`` grows with the scale of the weights, and so does every statistic made of it: twice a
gain in ``loglik``, G2, Pearson's chi-square, the information. What treats ``loglik`` as that of n
samples therefore multiplies the weights of a survey by one number, so that they sum to the number
of rows. Its result is then the same for all multiples of the weights, and n is not overstated. That
the weights are unequal is still not accounted for: errors from the rows themselves do that,
``standard_errors(run, table, weight=...)`` and ``bootstrap(run, table, weight=...)``.
"""

from __future__ import annotations

from ..algebra.arrays import Array
from ..learning.run import Run

SURVEY = "(they are not whole, or were said to be a survey's)"

ROWS = (
    "standard_errors(run, table, weight=...) and bootstrap(run, table, weight=...) go by the rows"
)

NOT_COUNTS = (
    f"the weights are no counts of equal rows {SURVEY}, as n and the criteria take them: {ROWS} "
    "with their weights"
)

ALL_DEPENDS = (
    "; the criteria, and the model that they choose, depend on the scale of the weights: multiply "
    "them by {:.4g} before, so that they sum to the {} rows of the table"
)
"""What is added to that where the weights of a survey have another sum."""

SCALED = (
    f"the weights are no counts of equal rows {SURVEY}: here they were multiplied by {{factor:.4g}}"
    ", so that they sum to the {rows} rows of the table. That they are unequal is not accounted "
    f"for; {ROWS}"
)

NO_CHI_SQUARE = (
    f"the weights are no counts of samples {SURVEY}: here they were multiplied by {{factor:.4g}}, "
    "so that they sum to {sum}. That they are unequal is not accounted for, so G2 and X2 have no "
    "chi-square distribution and no p"
)

NO_RATIOS = (
    "the weights are not whole numbers, so they are no counts of samples: the ratios have no "
    "chi-square distribution and no p"
)

SUMMED = (
    f"the weights are no counts of equal rows {SURVEY}, and the rows that they were summed over "
    "are gone: the replicates have {rows:.10g} samples, and that weights are unequal is not "
    "accounted for. Give the table, in memory, bootstrap(run, table, weight=...)"
)


def survey_scale(run: Run) -> float:
    """The factor by which the weights of a run are counts: 1 if they are counts.

    Weights of a survey sum to the number of rows with a weight above zero after it.
    """
    if run.counted or run.n_rows is None:
        return 1.0
    return run.n_rows / float(run.weight.sum())


def as_counts(run: Run) -> Array:
    """The weights of a run's rows as counts, ``(N,)`` or ``(restarts, N)``."""
    return survey_scale(run) * run.weight


def survey_warning(run: Run) -> str:
    """The warning of a result for which the weights of a run were scaled; "" if they are counts."""
    if run.counted or run.n_rows is None:
        return ""
    return SCALED.format(factor=survey_scale(run), rows=run.n_rows)
