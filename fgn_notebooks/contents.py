"""The contents of the paper, and where the course treats them.

Every section, figure, numbered equation, algorithm, experiment and appendix of the paper is an
*item*, such as ``section 2.1`` or ``equation 12``. A cell names the items that it treats in its
tags, such as ``covers:equation 12``; :func:`coverage` collects these tags.

Sections, figures and experiments are numbered as printed. Equations are counted in the order of
the paper's source, with those of Appendices A and B.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from fgn_notebooks.chapters import chapters, read

PREFIX = "covers:"

SECTIONS: Mapping[str, str] = {
    "1": "Introduction",
    "2": "Notations and basics",
    "2.1": "Normal graphs",
    "2.2": "Using the graph",
    "3": "Parametric learning",
    "3.1": "Maximum likelihood",
    "3.2": "Minimum divergence",
    "3.3": "Viterbi approximation",
    "4": "Bayesian learning",
    "4.1": "Variational approximation",
    "5": "General considerations",
    "6": "A single block",
    "7": "Larger architectures",
    "7.1": "One embedding variable",
    "7.2": "A deeper graph",
    "7.3": "Other architectures",
    "8": "Conclusions",
}

FIGURES: Mapping[int, str] = {
    1: "a branch, a diverter, a block",
    2: "one variable with three children",
    3: "three parents and one child, in two forms",
    4: "a two-level hierarchy",
    5: "a forest with eight variables",
    6: "splitting a variable",
    7: "a block inside its graph",
    8: "N realizations that share one matrix",
    9: "log-likelihood of one block",
    10: "coefficients of one block",
    11: "log-likelihood with one hidden variable, and Nit",
    12: "coefficients with one hidden variable",
    13: "hidden sizes that do not match",
    14: "generalization",
    15: "the deeper graph",
}

EQUATIONS: Mapping[int, str] = {
    1: "the joint density around a block",
    2: "the joint likelihood of X and Y with the evidence",
    3: "the evidence function",
    4: "the likelihood of the samples",
    5: "the two functions that reach a block",
    6: "messages and their scales",
    7: "the likelihood in vectors and matrices",
    8: "the log-likelihood",
    9: "the maximum likelihood problem",
    10: "theta as a ratio of probabilities",
    11: "the joint probability from samples",
    12: "the input's probability from samples",
    13: "the fixed point of ML",
    14: "the likelihood through the forward message of Y",
    15: "the divergence",
    16: "the lower bound",
    17: "the stabilized divergence",
    18: "messages with theta a variable",
    19: "the mean forward matrix",
    20: "the backward message for theta",
    21: "the product of backward messages",
    22: "Dirichlet densities for instantiated variables",
    23: "the variational message",
    24: "the Dirichlet prior",
    25: "messages in the upper branches",
    26: "all that is known of theta",
    27: "the mode",
    28: "the aggregated log-likelihood",
    29: "the shaded blocks of the forest",
    30: "from the product space to each variable",
    31: "from each variable to the product space",
    32: "the matrices of sizes 2, 3, 2",
    33: "the cost with its stabilizing term",
    34: "the constrained problem",
    35: "the KKT conditions",
    36: "the KKT conditions, differentiated",
    37: "the multipliers",
}

ALGORITHMS = ("ML", "KL", "VIT", "VAR")
EXPERIMENTS = (1, 2, 3)
APPENDICES: Mapping[str, str] = {"A": "Product space mappings", "B": "Derivation of ML"}


def items() -> dict[str, str]:
    """Every item of the paper and its subject, grouped by kind, each kind in the paper's order."""
    found = {f"section {n}": title for n, title in SECTIONS.items()}
    found |= {f"figure {n}": title for n, title in FIGURES.items()}
    found |= {f"equation {n}": title for n, title in EQUATIONS.items()}
    found |= {f"algorithm {name}": f"the {name} rule" for name in ALGORITHMS}
    found |= {f"experiment {n}": f"experiment {n} of section 7.1" for n in EXPERIMENTS}
    return found | {f"appendix {n}": title for n, title in APPENDICES.items()}


@dataclass(frozen=True)
class Place:
    """A cell of the course: the chapter's file name without its ending, and the cell's id."""

    chapter: str
    cell: str


def coverage() -> dict[str, tuple[Place, ...]]:
    """Each item of the paper with the cells that treat it.

    Raises :class:`ValueError` if the tag of a cell names an item that the paper does not have.
    """
    table: dict[str, list[Place]] = {item: [] for item in items()}
    for chapter in chapters():
        for cell in read(chapter.path)["cells"]:
            for tag in cell["metadata"].get("tags", ()):
                if not tag.startswith(PREFIX):
                    continue
                item = tag.removeprefix(PREFIX)
                if item not in table:
                    raise ValueError(
                        f"{chapter.path.name}, cell {cell['id']}: no {item!r} in the paper"
                    )
                table[item].append(Place(chapter.path.stem, cell["id"]))
    return {item: tuple(places) for item, places in table.items()}


def coverage_table() -> str:
    """A table in Markdown: item, subject, and the chapters that treat it."""
    names = items()
    rows = ["| In the paper | About | Where |", "| :-- | :-- | :-- |"]
    for item, places in coverage().items():
        where = dict.fromkeys(f"[{p.chapter}]({p.chapter}.ipynb)" for p in places)
        rows.append(f"| {item} | {names[item]} | {', '.join(where) or 'nowhere'} |")
    return "\n".join(rows)
