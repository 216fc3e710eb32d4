"""Captions of figures 9 to 15: what to look at, what the paper says about it, and what we find."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Caption:
    """A caption; ``claims`` are the names of the claims about the figure."""

    title: str
    look: str
    paper: str
    here: str
    claims: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.title}. {self.look}\nThe paper: {self.paper}\nHere: {self.here}"


CAPTIONS: Mapping[int, Caption] = MappingProxyType(
    {
        9: Caption(
            "Log-likelihood of one block, by iteration",
            "Compare the heights at the right edge, on smooth messages (left) and on sharpened "
            "ones (right). ML and KL climb; VIT, VAR and the random matrix are computed once.",
            "ML is always the best, KL usually next, VIT mostly above VAR; the sharper the "
            "messages, the closer they are.",
            "So it is, but of such messages, which do not depend on each other, VIT is above VAR "
            "on smooth ones only. The first step of ML and of KL leads to VAR.",
            ("ml-best", "kl-next", "vit-above-var", "sharper-closer"),
        ),
        10: Caption(
            "Coefficients of one block, by iteration",
            "Solid lines are ML's, dashed ones KL's; the columns at the right are the coefficients "
            "of VIT, VAR and the random matrix on the same scale.",
            "All lines are smooth, and KL's are flat sooner. No other rule spreads as widely as "
            "ML.",
            "So it is. After a hundred iterations on smooth messages ML still moves.",
            ("kl-faster", "ml-wider", "ml-few-steps"),
        ),
        11: Caption(
            "One hidden variable: the aggregated log-likelihood",
            "Left: ML and KL rise from the independence model (floor) to the ceiling in ten "
            "epochs, above the generative model itself. Right: each dot is a run of ML.",
            "ML and KL are the best and alike, VIT is below them, VAR is not acceptable. The ends "
            "of the runs are scattered, Nit matters little, 3 is slightly preferred.",
            "The order holds, but for VIT: it is second on two tables of five if a state without "
            "samples is refilled, and on nearly all if it keeps its values. With Nit up to 5 every "
            "run comes within a nat or two of the ceiling: hardly anything is scattered. With 10 "
            "and 20 most runs have not settled.",
            ("ml-kl-best", "vit-second", "var-fails", "nit-matters-little", "many-optima"),
        ),
        12: Caption(
            "One hidden variable: the coefficients",
            "Each column is a rule, each line a coefficient; the last column holds the generative "
            "model's. Left Nit=3, right Nit=20. Where lines swing to the end, the last six epochs "
            "are drawn wide, on a shaded ground.",
            "ML and KL span the widest range and are smooth for Nit=3, while VIT oscillates; with "
            "Nit=20 they oscillate before they converge. The values found are not the true ones.",
            "So it is, but with Nit=20 most runs still oscillate at epoch 60. VAR ends with equal "
            "rows: its lines lie on each other.",
            ("smooth", "vit-oscillates", "large-nit-settles", "wider-range", "another-model"),
        ),
        13: Caption(
            "Hidden sizes that are not the generative model's",
            "The ceiling is the same in both plots: compare how near to it ML and KL come with two "
            "states and with seven.",
            "Convergence is as before; with two states the likelihood is clearly worse.",
            "So it is. Seven states gain nothing: four reach the ceiling already.",
            ("too-few-states", "too-many-states"),
        ),
        14: Caption(
            "Generalization: the test half",
            "The curves are likelihoods of rows that were not learned from. Look for a peak: what "
            "comes after it was learned by heart.",
            "The curves are smooth, so that 150 samples would do.",
            "ML and KL stay far above the floor, but below the generative model, and for half of "
            "the seeds they fall after a peak.",
            ("150-samples-do", "same-on-test"),
        ),
        15: Caption(
            "The deeper graph",
            "First plot: the aggregated log-likelihood. The others: the coefficients of the five "
            "learned blocks, a column for each rule, from epoch 0 to 600; where lines swing, the "
            "last six epochs are drawn wide, on a shaded ground.",
            "The likelihood is there early and the coefficients much later; ML and KL are the "
            "best and the smoothest, while VIT is often seen to swing.",
            "ML and KL are the best in nearly every run, and KL's coefficients still move at epoch "
            "600. VIT is at the floor, as VAR is: it has settled on one state of each source, and "
            "its wide oscillations in other rows change no likelihood.",
            ("deep-ml-kl-best", "deep-likelihood-first", "deep-vit-oscillates"),
        ),
    }
)
"""Figures 9 to 15 of the paper."""
