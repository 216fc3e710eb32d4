"""Exercises of chapter 05."""

from fgn_notebooks.exercises import Exercise, array, cases, derive, fault, number, task
from fgnwidgets import ml

EXERCISES = {
    "05.1": Exercise(
        number(1 / 101, "the entries are 1/3, 1/5, 1/7 after 1, 2, 3 steps", 1e-5),
        "From p the next entry is p / (1 + 2p): what happens to 1/p at each step?",
        further="1/p is 3 after the first step, then 5, then 7: it grows by 2. What is it "
        "after k steps?",
    ),
    "05.2": Exercise(
        array(
            [[1.0, 0.0], [1 / 3, 2 / 3]],
            "one call of ml from the uniform matrix, with a weight for each of three samples",
        ),
        "weight=[0, 1, 1]: only samples 2 and 3 are counted.",
        further="ml(uniform, f3, b3, weight=[0, 1, 1]).",
    ),
    "05.3": derive(
        "The step multiplies the entry. With which factor, and can the factor be zero?",
        "The step multiplies the entry by a finite number and divides by a row sum, so "
        "zero stays zero for ever: a start must not rule out what might be true. An entry"
        " above zero is multiplied by a sum of f_l b_m / q over the samples. That is zero"
        " only if no sample has both f_l and b_m above zero, and then the entry becomes "
        "exactly zero in one step. Otherwise the factor is positive, and the entry can "
        "approach zero, as in the example by hand, and never reach it.",
        further="The factor is the sum over n of f_l b_m / q. When is each of its terms zero?"
        " When are all?",
        points=(
            "zero times anything stays zero, for ever",
            "an entry becomes exactly zero only if no sample has both f_l and b_m above zero",
            "otherwise it is multiplied by a positive number, and stays above zero",
        ),
    ),
    "05.4": fault(
        ml,
        [cases.block(1), cases.block(3)],
        "which sums must be one, those of the rows or those of the columns?",
        "sum(axis=1, keepdims=True) adds up each row.",
        further="Divide by moved.sum(axis=1, keepdims=True): P(Y|X) has a distribution in "
        "every row.",
    ),
    "05.5": task(
        "In each step: theta = row_normalize(theta * G**eta), with G of appendix B.",
        "From the uniform start we needed 14 steps with exponent 1, then 9, 6 and 4 with "
        "1.5, 1.9 and 2.5. With 4 the path zigzags across the hill and needs 246, and even "
        "there the likelihood never fell. With 5 it falls every other step and never "
        "arrives. A proof that it cannot fall exists only for exponent 1; exponents below 2 "
        "are known to be safe near the maximum. It is the same greed as with many steps per epoch.",
        further="G = (f / q) @ b.T with q = f^T theta b of each sample; count the steps until"
        " block_loglik is within 0.01 of its largest value, and look for negative "
        "differences.",
        points=(
            "the number of steps for at least three exponents",
            "the exponent at which the likelihood falls for the first time",
            "why a step that is too long overshoots",
        ),
    ),
}
