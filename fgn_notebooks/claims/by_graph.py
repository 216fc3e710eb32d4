"""The claim about other architectures, graph by graph (section 7.3)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

from .batches import KL, ML, VAR, VIT, _groups, _run
from .deeper_graph import TEN
from .hidden_checks import lead, learned
from .ledger import PAPER
from .models import GRAPHS


class Leads(NamedTuple):
    """In how many of the generative models of a graph ML and KL lead, and VIT and VAR learn.

    To *lead* is the check of the claim ``other-graphs``: to end above the two others, and a nat
    above the floor. To *learn* is to end a nat above the floor.
    """

    lead: int
    vit: int
    var: int
    models: int


def leads_by_graph(n_epochs: int = TEN.n_epochs, names: Collection[str] = ()) -> dict[str, Leads]:
    """The leads for each of the ten graphs, or for those of ``names``.

    With the claim's 60 epochs these are the runs of its first setting.
    """
    found = {}
    for name, group in zip(GRAPHS, _groups(TEN), strict=True):
        if names and name not in names:
            continue
        batch = _run(group, replace(TEN, n_epochs=n_epochs), PAPER)
        passed = lead(batch.ends) & learned(batch, ML, KL)
        vit, var = (int(learned(batch, rule).sum()) for rule in (VIT, VAR))
        found[name] = Leads(int(passed.sum()), vit, var, passed.size)
    return found
