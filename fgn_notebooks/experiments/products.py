"""The product space of several variables, and messages to it and from it (Appendix A).

Vocabulary
    configuration   a value of the product space: a value of each variable
    up              from a variable to the product space: every configuration gets an equal part
    met             the product of the messages that come up, at the diverter
    down            from the product space to a variable: a sum over configurations
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from fgnwidgets import normalize, product_to_variable, variable_to_product

from .words import number, text_table

MOST = 64
"""Most configurations that a picture can show."""


@dataclass(frozen=True, eq=False)
class ProductSpace:
    """The product space of variables with ``sizes``, in C order: the first varies slowest.

    With ``M`` configurations:
    ``to_product[k]``    ``(M_k, M)``, the matrix from variable k to the product space
    ``to_variable[k]``   ``(M, M_k)``, the matrix back
    ``messages[k]``      ``(M_k,)``, the message of variable k
    ``up[k]``            ``(M,)``, the same in the product space
    ``met``              ``(M,)``, the product of all ``up[k]``, normalised
    ``down[k]``          ``(M_k,)``, the message back to variable k
    """

    sizes: tuple[int, ...]
    to_product: tuple[np.ndarray, ...]
    to_variable: tuple[np.ndarray, ...]
    messages: tuple[np.ndarray, ...]
    up: tuple[np.ndarray, ...]
    met: np.ndarray
    down: tuple[np.ndarray, ...]

    @property
    def configurations(self) -> tuple[str, ...]:
        """The names of the configurations: ``"132"`` is X1 = 1, X2 = 3, X3 = 2."""
        return tuple("".join(map(str, c)) for c in product(*(range(1, m + 1) for m in self.sizes)))

    def table(self) -> dict[str, np.ndarray]:
        """The messages in the product space, a row for each configuration."""
        columns = {"configuration": np.array(self.configurations)}
        for k, message in enumerate(self.up):
            columns[f"up_X{k + 1}"] = message
        return {**columns, "met": self.met}

    def facts(self) -> str:
        """The shape of each matrix down, and the messages that a variable sends and gets back."""
        rows = []
        for k, (sent, back) in enumerate(zip(self.messages, self.down, strict=True)):
            shape = "x".join(map(str, self.to_variable[k].shape))
            words = [" ".join(number(v) for v in message) for message in (sent, back)]
            rows.append((f"X{k + 1}", shape, *words))
        return text_table(("", "matrix down", "sends", "gets back"), rows)


def product_space(
    *,
    sizes: Sequence[int] = (2, 3, 2),
    message: Sequence[float] | Mapping[int, Sequence[float]] | None = None,
) -> ProductSpace:
    """Send a message from every variable to the product space, and their product back to each.

    ``message`` is that of the first variable, or ``{axis: message}`` with axes counted from 0; all
    others are uniform. By default that of the first variable is ``M, ..., 2, 1``, normalised.
    """
    sizes = tuple(int(m) for m in sizes)
    if not sizes or min(sizes) < 1 or np.prod(sizes) > MOST:
        raise ValueError(f"sizes are {sizes}: expected sizes >= 1 with a product up to {MOST}")
    first = np.arange(sizes[0], 0, -1.0) if message is None else message
    given = first if isinstance(first, Mapping) else {0: first}
    if wrong := [k for k in given if not 0 <= k < len(sizes) or len(given[k]) != sizes[k]]:
        k = wrong[0]
        raise ValueError(f"message {k} has {len(given[k])} values, the sizes are {sizes}")
    sent = tuple(_distribution(given.get(k, np.ones(m))) for k, m in enumerate(sizes))
    to_product = tuple(variable_to_product(sizes, k) for k in range(len(sizes)))
    to_variable = tuple(product_to_variable(sizes, k) for k in range(len(sizes)))
    up = tuple(matrix.T @ v for matrix, v in zip(to_product, sent, strict=True))
    met = _distribution(np.prod(up, axis=0))
    down = tuple(matrix.T @ met for matrix in to_variable)
    return ProductSpace(sizes, to_product, to_variable, sent, up, met, down)


def _distribution(values: Sequence[float] | np.ndarray) -> np.ndarray:
    return normalize(np.asarray(values, dtype=float)[:, None])[:, 0]
