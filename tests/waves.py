"""A toy experiment and its figure, quick and slow, for tests of labs."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from fgnwidgets.widgets import Choice, Exponent, Integer, Lab, Many, Real, Toggle


@dataclass(frozen=True, eq=False)
class Wave:
    heights: np.ndarray
    n: int
    of: int

    @property
    def progress(self) -> tuple[int, int, str]:
        return self.n, self.of, "epoch"

    def facts(self) -> str:
        return f"{len(self.heights)} points, the highest at {self.heights.max():.3f}"

    def table(self) -> dict[str, np.ndarray]:
        return {"place": np.arange(len(self.heights)), "height": self.heights}


def wave(
    *,
    m_x: int = 3,
    ex: float = 1.0,
    points: int = 50,
    rules: tuple[str, ...] = ("ml",),
    start: str = "messages",
    split: bool = False,
) -> Wave:
    """``split`` and one point do not go together: an error to test with."""
    if split and points < 2:
        raise ValueError(f"points is {points}: expected at least 2 to split")
    if start == "matrices" and points == 1:
        raise ZeroDivisionError("one point has no matrices")
    x = np.linspace(0, 6, points)
    return Wave(np.sin(m_x * x) ** 2 * np.exp(-x / ex) + len(rules), 1, 1)


def waves(*, n_epochs: int = 5, fail_at: int = 100) -> Iterator[Wave]:
    """A wave that grows point by point."""
    for n in range(1, n_epochs + 1):
        if n == fail_at:
            raise ValueError(f"epoch {n} went wrong")
        yield Wave(np.sqrt(np.arange(n)), n, n_epochs)


def draw_wave(result: Wave, fig: Figure | None = None, *, lift: float = 0.0) -> Figure:
    if fig is None:
        fig = Figure(figsize=(3, 2), dpi=80)
    fig.clear()
    ax = fig.add_subplot()
    ax.plot(result.heights + lift)
    ax.set_title(f"{result.n} of {result.of}")
    return fig


def draw_bars(result: Wave, fig: Figure | None = None) -> Figure:
    if fig is None:
        fig = Figure(figsize=(2, 2), dpi=80)
    fig.clear()
    fig.add_subplot().bar(np.arange(len(result.heights)), result.heights)
    return fig


CONTROLS = {
    "m_x": Integer("M_X", 1, 8, 3, "how many values X takes"),
    "ex": Exponent("EX", 0.1, 100, 1.0, "how sharp the messages are"),
    "points": Integer("N", 1, 500, 50, "how many points"),
    "lift": Real("lift", -1, 1, 0.0, "moves the picture only", step=0.05),
    "rules": Many("rules", ("ml", "kl", "vit"), ("ml", "kl"), labels=("ML", "KL", "VIT")),
    "start": Choice("start", ("messages", "matrices"), "messages"),
    "split": Toggle("split", False),
}


def wave_lab() -> Lab:
    return Lab(wave, draw_wave, title="A wave", controls=CONTROLS)


def growing_lab() -> Lab:
    controls = {
        "n_epochs": Integer("Ne", 1, 2000, 5, "epochs"),
        "fail_at": Integer("fail at", 2, 2000, 2000),
    }
    return Lab(waves, draw_wave, title="Waves", controls=controls)
