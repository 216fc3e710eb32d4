"""Claims about the deeper graph (section 7.2)."""

from __future__ import annotations

import numpy as np

from .batches import KL, ML, SNAPSHOTS, VAR, VIT, coefficients, forests, lead, to_go
from .ledger import ALWAYS, MOSTLY, Claim, under


def ml_kl_lead() -> np.ndarray:
    """ML and KL both end above VIT and VAR on the deeper graph."""
    return lead(forests().aggregated[-1])


def ml_kl_lead_on_the_test_rows() -> np.ndarray:
    """ML and KL both end above VIT and VAR on the test rows of the deeper graph."""
    return lead(forests().test_aggregated[-1])


def priors_are_uniform(lane: int) -> np.ndarray:
    """No state of S1, S2, S3 ends farther than 0.05 from the uniform prior."""
    last = forests().snapshots[SNAPSHOTS[-1]]
    apart = [np.abs(last[s][lane] - 1 / last[s].shape[-1]) for s in ("S1", "S2", "S3")]
    return np.max([v.max(axis=(-2, -1)) for v in apart], axis=0) < 0.05


def vit_swings() -> np.ndarray:
    """Some coefficient of VIT turns three times or more."""
    return forests().turns[VIT] >= 3


def likelihood_is_first(lane: int) -> np.ndarray:
    """After 20 of 200 epochs the coefficients have more of their way to go than the likelihood."""
    run = forests()
    names = tuple(name for name in run.snapshots[1] if "|" in name)
    values = np.stack([coefficients(run.snapshots[e], names)[lane] for e in SNAPSHOTS])
    return to_go(values) > to_go(run.aggregated[list(SNAPSHOTS), lane][..., None])


HERE = "200 generative models, 200 epochs"

CLAIMS = (
    Claim(
        "deep-ml-kl-best", "7.2", "ML and KL are the best on the deeper graph too.", ALWAYS,
        under(ml_kl_lead, (HERE,)),
        "On the rows that they learn from. KL comes second nearly always: its priors stay uniform.",
    ),
    Claim(
        "deep-likelihood-first", "7.2", "The likelihood converges quickly, the coefficients take "
        "longer.", ALWAYS,
        under(likelihood_is_first, ("ML", ML), ("KL", KL)),
        "After a tenth of the epochs nine tenths of the way of the coefficients are still to go.",
    ),
    Claim(
        "deep-priors-uniform", "7.2", "All three learned priors end nearly uniform.", ALWAYS,
        under(priors_are_uniform, ("ML", ML), ("KL", KL), ("VIT", VIT), ("VAR", VAR)),
        "As with one hidden variable: KL and VAR average messages that say nothing, ML learns, and "
        "VIT settles on one state.",
    ),
    Claim(
        "deep-vit-oscillates", "7.2", "The coefficients of VIT swing here too.", MOSTLY,
        under(vit_swings, (HERE,)),
        "Where it does, the oscillations are wide. For two models of three it falls into one state "
        "within a few epochs, and stays: with 18 different rows all samples move at once.",
    ),
    Claim(
        "deep-same-on-test", "7.2", "Tests of generalisation look much the same.", ALWAYS,
        under(ml_kl_lead_on_the_test_rows, (HERE,)),
        "Read as: ML and KL are the best on 100 further rows too. Most of these models leave weak "
        "dependences between X1, X2 and X3; with 100 rows to learn from, ML and KL fit chance, and "
        "the independent model, where VIT and VAR mostly end, predicts better. In a few seeds a "
        "new row has probability zero.",
    ),
)  # fmt: skip
