"""The single block over many seeds and exponents: how often the paper's order holds (section 6).

Vocabulary
    place   a contender's rank by its final likelihood, 0 for the largest
    gap     the log-likelihood per sample of ML minus that of another rule, in nats
    apart   the largest difference between a coefficient of a rule and ML's
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

import fgnwidgets
from fgnwidgets import block_loglik, sharpen

from .single_block import CONTENDERS, draw_messages, learned, train_size
from .streams import batches, streamed
from .words import NAMES, PAPERS, number, text_table, wilson


@dataclass(frozen=True, eq=False)
class Ranking:
    """The same setting over many seeds.

    ``loglik[contender]``   ``(seeds,)``, final values; ``test_loglik`` is None without a split
    ``curves[rule]``        ``(iterations, seeds)``, for ML and KL
    ``spread[contender]``   ``(seeds,)``, the largest coefficient minus the smallest
    """

    n_planned: int
    loglik: Mapping[str, np.ndarray]
    test_loglik: Mapping[str, np.ndarray] | None
    curves: Mapping[str, np.ndarray]
    spread: Mapping[str, np.ndarray]

    @property
    def n_seeds(self) -> int:
        return len(self.loglik["ml"])

    @property
    def progress(self) -> tuple[int, int, str]:
        return self.n_seeds, self.n_planned, "seed"

    @property
    def places(self) -> np.ndarray:
        """The number of times that each contender (row) has each place (column)."""
        finals = np.stack([self.loglik[name] for name in CONTENDERS])
        places = np.argsort(np.argsort(-finals, axis=0, kind="stable"), axis=0)
        return np.stack([np.bincount(row, minlength=len(CONTENDERS)) for row in places])

    def beats(self, one: str, other: str) -> tuple[float, float, float]:
        """The share of times one contender's likelihood is the larger, with a 95 % interval."""
        wins = int((self.loglik[one] > self.loglik[other]).sum())
        return (wins / self.n_seeds, *wilson(wins, self.n_seeds))

    def above(self, *pairs: tuple[str, str]) -> dict[str, str]:
        """For each pair how often its first contender beats its second, with a 95 % interval."""
        found = {f"{NAMES[one]} above {NAMES[other]}": (one, other) for one, other in pairs}
        return {
            words: "{:.0%} ({:.0%}-{:.0%})".format(*self.beats(*pair))
            for words, pair in found.items()
        }

    @property
    def spreads(self) -> dict[str, float | str]:
        """The median ``spread`` of each rule, and how often that of ML is the largest."""
        ranges = {NAMES[rule]: self.spread[rule] for rule in PAPERS}
        widest = ranges["ML"] > np.max([v for name, v in ranges.items() if name != "ML"], axis=0)
        medians: dict[str, float | str] = {k: float(np.median(v)) for k, v in ranges.items()}
        return medians | {"ML has the largest": f"{widest.mean():.0%}"}

    def table(self) -> dict[str, np.ndarray]:
        """Final likelihoods, a row for each seed."""
        columns = {"seed": np.arange(self.n_seeds)}
        for name in CONTENDERS:
            columns[f"loglik_{name}"] = self.loglik[name]
            if self.test_loglik is not None:
                columns[f"test_loglik_{name}"] = self.test_loglik[name]
        return columns

    def facts(self) -> str:
        """The share of times the paper's order holds, for each pair of neighbours in it."""
        rows = []
        for one, other in pairwise(CONTENDERS):
            share, low, high = self.beats(one, other)
            pair = f"{NAMES[one]} above {NAMES[other]}"
            rows.append((pair, f"{share:.1%}", f"{low:.1%} to {high:.1%}"))
        return text_table((f"{self.n_seeds} seeds", "how often", "95 % interval"), rows)


@streamed
def one_block_ranking(
    *,
    m_x: int = 3,
    m_y: int = 3,
    n: int = 200,
    ex: float = 1.0,
    ey: float = 1.0,
    n_iterations: int = 100,
    seed: int = 0,
    n_seeds: int = 200,
    split: bool = False,
) -> Iterator[Ranking]:
    """The run of ``one_block`` for ``seed``, ``seed + 1``, ..., many seeds at a time."""
    n_train = train_size(n, split)
    parts: list[Ranking] = []
    for seeds in batches(seed, n_seeds, m_x * m_y * n * n_iterations):
        f, b, reference = draw_messages(m_x, m_y, n, ex, ey, seeds)
        parts.append(_ranked(f, b, reference, n_train, n_iterations, n_seeds))
        yield Ranking(
            n_planned=n_seeds,
            loglik=joined([part.loglik for part in parts]),
            test_loglik=joined([part.test_loglik or {} for part in parts]) if split else None,
            curves=joined([part.curves for part in parts]),
            spread=joined([part.spread for part in parts]),
        )


def _ranked(
    f: np.ndarray,
    b: np.ndarray,
    reference: np.ndarray,
    n_train: int,
    n_iterations: int,
    n_planned: int,
) -> Ranking:
    """The ranking of the seeds whose messages these are."""
    ft, bt = f[..., :n_train], b[..., :n_train]
    fs, bs = f[..., n_train:], b[..., n_train:]
    theta = learned(ft, bt, n_iterations)
    theta["reference"] = reference[None]
    last = {name: v[-1] for name, v in theta.items()}
    curves = {
        name: np.stack([block_loglik(v, ft, bt) for v in theta[name]])
        for name, rule in ((name, fgnwidgets.RULES[name]) for name in PAPERS)
        if rule.iterates
    }
    tested = fs.shape[-1] > 0
    return Ranking(
        n_planned=n_planned,
        loglik={name: block_loglik(v, ft, bt) for name, v in last.items()},
        test_loglik={k: block_loglik(v, fs, bs) for k, v in last.items()} if tested else None,
        curves=curves,
        spread={name: v.max(axis=(-2, -1)) - v.min(axis=(-2, -1)) for name, v in last.items()},
    )


def joined(parts: Sequence[Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Arrays by name, joined along their last axis, that of seeds."""
    return {name: np.concatenate([part[name] for part in parts], axis=-1) for name in parts[0]}


@dataclass(frozen=True, eq=False)
class Sharpening:
    """The gaps of the rules to ML: ``gap[rule]`` and ``apart[rule]``, ``(exponents, seeds)``."""

    exponents: tuple[float, ...]
    n_planned: int
    gap: Mapping[str, np.ndarray]
    apart: Mapping[str, np.ndarray]

    @property
    def progress(self) -> tuple[int, int, str]:
        return self.gap["ml"].shape[1], self.n_planned, "seed"

    def table(self) -> dict[str, np.ndarray]:
        """Averages over the seeds, a row for each exponent."""
        columns = {"exponent": np.array(self.exponents)}
        for rule in PAPERS[1:]:
            columns[f"gap_{rule}"] = self.gap[rule].mean(axis=1)
            columns[f"apart_{rule}"] = self.apart[rule].mean(axis=1)
        return columns

    def facts(self) -> str:
        """Averages of ``gap`` and ``apart`` over the seeds, for each exponent."""
        head = ["exponent", *(f"ML - {NAMES[r]}" for r in PAPERS[1:])]
        head += [f"theta {NAMES[r]}" for r in PAPERS[1:]]
        rows = []
        for k, exponent in enumerate(self.exponents):
            values = [self.gap[r][k].mean() for r in PAPERS[1:]]
            values += [self.apart[r][k].mean() for r in PAPERS[1:]]
            rows.append((f"{exponent:g}", *(number(v, 3) for v in values)))
        return text_table(head, rows)


@streamed
def sharpening(
    *,
    exponents: Sequence[float] = (1, 2, 5, 10, 20, 50, 100, 200),
    m_x: int = 3,
    m_y: int = 3,
    n: int = 200,
    n_iterations: int = 100,
    seed: int = 0,
    n_seeds: int = 20,
) -> Iterator[Sharpening]:
    """The four rules on the same random numbers with growing exponents, until they agree."""
    gaps, apart = [], []
    for seeds in batches(seed, n_seeds, m_x * m_y * n * n_iterations * len(exponents)):
        u, v, _ = draw_messages(m_x, m_y, n, 1.0, 1.0, seeds)
        f = np.stack([sharpen(u, e) for e in exponents])
        b = np.stack([sharpen(v, e) for e in exponents])
        last = {rule: theta[-1] for rule, theta in learned(f, b, n_iterations).items()}
        loglik = {rule: block_loglik(theta, f, b) / n for rule, theta in last.items()}
        gaps.append({rule: loglik["ml"] - loglik[rule] for rule in PAPERS})
        apart.append({rule: np.abs(last["ml"] - last[rule]).max(axis=(-2, -1)) for rule in PAPERS})
        yield Sharpening(tuple(exponents), n_seeds, joined(gaps), joined(apart))
