"""The same work done by other packages, each through its own public interface.

A peer that is not installed is None in ``FOUND`` and skipped by name. All of them start from the
matrices that they are given, so that all have to reach the same values.
"""

from __future__ import annotations

import importlib
import logging
import warnings
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Theta = Mapping[str, Array]
Parents = Mapping[str, Sequence[str]]

DISTRIBUTIONS = ("stepmix", "pgmpy", "pyagrum")


def _find(module: str) -> object | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(module)
    except ImportError:
        return None


FOUND = {module: _find(module) for module in DISTRIBUTIONS}


def stepmix_em(theta: Theta, table: Array, n_epochs: int) -> Theta:
    """EM of one hidden S over the columns of ``table``, StepMix's own model: ``(N, 3)`` codes."""
    from stepmix import StepMix

    sizes = [theta[f"X{i}|S"].shape[1] for i in (1, 2, 3)]
    widest, classes = max(sizes), theta["S"].shape[1]
    pis = np.zeros((classes, len(sizes), widest))  # StepMix pads every variable to the widest
    for i, size in enumerate(sizes):
        pis[:, i, :size] = theta[f"X{i + 1}|S"]

    class FromGivenStart(StepMix):
        def _initialize_parameters(self, X: Array, random_state: object) -> None:
            super()._initialize_parameters(X, random_state)
            own = {**self._mm.get_parameters(), "pis": pis.reshape(classes, -1)}
            self.weights_ = theta["S"][0].copy()
            self._mm.set_parameters(own)

    model = FromGivenStart(
        n_components=classes,
        measurement="categorical",
        max_iter=n_epochs,
        abs_tol=0.0,
        rel_tol=0.0,
        progress_bar=0,
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns that a fixed number of epochs did not converge
        model.fit(table)
    learned = model.get_parameters()
    blocks = learned["measurement"]["pis"].reshape(classes, len(sizes), widest)
    found = {f"X{i + 1}|S": blocks[:, i, :size] for i, size in enumerate(sizes)}
    return {"S": np.asarray(learned["weights"])[None], **found}


PGMPY_LEARNERS = ("ExpectationMaximization", "DiscreteEM")
"""pgmpy's EM, and the one that replaces it from 1.1 on, which counts the rows once."""


def pgmpy_em(learner: str, theta: Theta, frame: object, n_epochs: int) -> Theta:
    """The same EM by pgmpy, from a pandas DataFrame; it works on distinct rows by itself."""
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    logging.getLogger("pgmpy").setLevel(logging.ERROR)
    children = ("X1", "X2", "X3")
    model = DiscreteBayesianNetwork([("S", x) for x in children], latents={"S"})
    classes = theta["S"].shape[1]
    states = {"S": list(range(classes))}
    states |= {x: list(range(theta[f"{x}|S"].shape[1])) for x in children}
    start = {"S": TabularCPD("S", classes, theta["S"].T, state_names={"S": states["S"]})}
    for x in children:
        names = {x: states[x], "S": states["S"]}
        matrix = theta[f"{x}|S"].T
        start[x] = TabularCPD(x, len(states[x]), matrix, ["S"], [classes], state_names=names)
    options = {
        "latent_card": {"S": classes},
        "max_iter": n_epochs,
        "atol": 0.0,
        "init_cpds": start,
        "show_progress": False,
    }
    if learner == "DiscreteEM":
        from pgmpy.parameter_estimator import DiscreteEM

        cpds = DiscreteEM(state_names=states, **options).fit(model, frame).parameters_
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they say that DiscreteEM will replace it
            from pgmpy.estimators import ExpectationMaximization

            cpds = ExpectationMaximization(model, frame, state_names=states).get_parameters(
                **options
            )
    learned = {cpd.variable: cpd.get_values().T for cpd in cpds}
    return {"S" if name == "S" else f"{name}|S": matrix for name, matrix in learned.items()}


class PyAgrumQueries:
    """Posteriors by pyAgrum's lazy propagation, a row of evidence at a time."""

    def __init__(
        self, sizes: Mapping[str, int], parents: Parents, theta: Theta, targets: Sequence[str]
    ) -> None:
        import pyagrum

        net = pyagrum.BayesNet()
        for name, size in sizes.items():
            net.add(pyagrum.LabelizedVariable(name, name, size))
        for child, above in parents.items():
            for parent in above:
                net.addArc(parent, child)
        for name in sizes:
            above = parents.get(name, ())
            shape = (*(sizes[p] for p in above), sizes[name])
            matrix = theta[f"{name}|{','.join(above)}" if above else name].reshape(shape)
            for index in np.ndindex(*shape[:-1]):
                given = dict(zip(above, map(int, index), strict=True))
                net.cpt(name)[given] = matrix[index].tolist()
        self.targets = tuple(targets)
        self.engine = pyagrum.LazyPropagation(net)
        self.engine.setTargets(set(self.targets))

    def __call__(self, rows: Sequence[Mapping[str, int]]) -> dict[str, Array]:
        found: dict[str, list[Array]] = {name: [] for name in self.targets}
        for row in rows:
            self.engine.setEvidence(row)
            self.engine.makeInference()
            for name in self.targets:
                found[name].append(self.engine.posterior(name).toarray())
        return {name: np.array(columns).T for name, columns in found.items()}
