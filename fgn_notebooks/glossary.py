"""Glossary, notation and bibliography of the course, as data and as tables in Markdown.

Vocabulary
    term    a word of the course, its meaning, and the chapter that explains it
    symbol  a symbol of the paper, its name in the code, and the formula that defines it
    work    an entry of the bibliography, and why the course cites it

Formulas are counted in the order of the paper's source, as in ``contents``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fgn_notebooks.chapters import chapters

NO_CODE = "-"


@dataclass(frozen=True)
class Term:
    """A word, its meaning, and the number of the chapter that explains it."""

    word: str
    meaning: str
    chapter: str


@dataclass(frozen=True)
class Symbol:
    """A symbol of the paper in TeX, its name in code, its meaning, and where it is defined."""

    paper: str
    code: str
    meaning: str
    where: str
    chapter: str


@dataclass(frozen=True)
class Work:
    """A publication, and why the course cites it."""

    reference: str
    role: str


TERMS: tuple[Term, ...] = (
    Term("aggregated log-likelihood", "the paper's number for a learning run: at each observed "
         "variable the log of what the rest of the evidence predicts, added up", "04"),
    Term("annealing", "ML with the shares of each sample evened out at first", "15"),
    Term("backward message", "the message against the arrow of a branch: how probable the evidence "
         "at the arrow's head is, for each value of the variable", "01"),
    Term("Bayesian graph", "nodes are variables, and an arrow leads from each parent to its child; "
         "each variable has a table of probabilities given its parents", "02"),
    Term("belief", "the product of a branch's two messages, normalised: the probability of each "
         "value given all evidence", "01"),
    Term("BIC", "the Bayesian information criterion: minus twice the log-likelihood, plus the log "
         "of the number of samples for each free number; less is better", "13"),
    Term("block", "a node with one input and one output that holds a matrix of conditional "
         "probabilities", "01"),
    Term("bootstrap", "tables drawn anew from the rows of a table, to see how far what is "
         "learned from them moves", "13"),
    Term("branch", "a line of a normal graph: one variable, with a message in each direction",
         "01"),
    Term("bivariate residual", "how far the counts of a pair of variables are from what the model "
         "expects, per degree of freedom", "13"),
    Term("ceiling", "the saturated log-likelihood: every row gets exactly the probability with "
         "which it occurs; no model is above it", "04"),
    Term("claim", "a statement of the paper with a check that a run passes or fails", "14"),
    Term("cluster", "a product space that holds a family of a merged graph", "17"),
    Term("d-separation", "a rule that reads from the arrows of a graph which variables are "
         "independent given others", "02"),
    Term("delta function", "a message with all its weight on one value", "06"),
    Term("diameter", "the longest chain of messages that wait for each other; so many rounds of "
         "flooding are exact", "03"),
    Term("diverter", "a node that joins copies of one variable and holds them equal (the equal "
         "constraint of the literature)", "01"),
    Term("decoding", "asking for the most probable states together, with maxima in place of sums",
         "16"),
    Term("E-step", "propagate all messages with the matrices as they are", "05"),
    Term("EM", "expectation and maximisation: E-step and M-step in turn, with the ML rule once per "
         "epoch", "05"),
    Term("epoch", "one E-step and one M-step (the paper's EM cycle)", "05"),
    Term("evidence", "what is known about a variable in a sample: a value (hard), a column of "
         "likelihoods (soft), or nothing (missing)", "03"),
    Term("filtering", "asking for a hidden state by the evidence up to its own step", "16"),
    Term("floor", "the log-likelihood of the best model in which all observed variables are "
         "independent", "04"),
    Term("flooding", "every node sends on all its branches in every round", "03"),
    Term("given variable", "one that is always observed and has no distribution of its own; it "
         "closes no loop", "17"),
    Term("forest", "a Bayesian graph with several roots and no loop", "02"),
    Term("forward message", "the message along the arrow of a branch: what is known at the arrow's "
         "tail, for each value of the variable", "01"),
    Term("free numbers", "the numbers of a model that can be chosen: one less than the columns, "
         "for each row of each learned matrix", "02"),
    Term("held out", "kept aside in learning, to judge what was learned", "13"),
    Term("hidden Markov model", "a chain of hidden states whose steps share their matrices, each "
         "with something that is seen", "16"),
    Term("hidden variable", "a variable without a column in the table", "00"),
    Term("identified", "of a model: the data can fix all of its free numbers, at least near a "
         "solution", "13"),
    Term("Nit", "the steps that ML and KL take in a block within one epoch", "09"),
    Term("label switching", "hidden states that exchange their numbers from run to run", "13"),
    Term("learning mask", "the weight of each sample in learning: 1 to learn from it, 0 to keep it "
         "aside", "05"),
    Term("likelihood", "the probability of the evidence, read as a function of the matrices", "04"),
    Term("loop", "a way through a graph that comes back without turning; messages are not exact "
         "on it", "17"),
    Term("M-step", "every block takes a step of its rule on the messages that reached it", "05"),
    Term("merged graph", "a forest of product spaces made of a graph with loops", "17"),
    Term("nat", "the unit of a log-likelihood or divergence with natural logarithms", "04"),
    Term("normal graph", "a graph whose nodes are functions and whose lines are variables, with a "
         "diverter where a variable is needed more than once", "02"),
    Term("normalised", "scaled so that the entries sum to one", "01"),
    Term("parent", "of a variable: one on which it depends directly; an arrow leads from it", "00"),
    Term("prior", "the probabilities of a variable without parents, before any evidence", "02"),
    Term("product space", "one variable whose values are the joint configurations of several",
         "02"),
    Term("pseudo-count", "a number that is added to the count of a cell, as if so many samples had "
         "been seen before the data", "08"),
    Term("rank", "of a learned model: how many of its free numbers the data can fix; of a table: "
         "the least number of states that can produce it", "13"),
    Term("replica", "a copy of a variable at a diverter, such as X(1)", "01"),
    Term("restart", "a learning run from another random start", "00"),
    Term("row-stochastic", "of a matrix: no entry is negative and every row sums to one", "01"),
    Term("saddle", "a place from which the log-likelihood rises in some directions and falls in "
         "others", "09"),
    Term("sample", "one case, such as a slide or a student: a row of a table, and a column of a "
         "message", "00"),
    Term("slice", "the variables of one step of an unfolded graph", "16"),
    Term("smoothing", "asking for a hidden state by all evidence, that of later steps included",
         "16"),
    Term("sharpen", "raise a message to a power and normalise it again", "05"),
    Term("SISO", "the paper's name for a block: single input, single output", "01"),
    Term("source", "a node that holds the prior of a variable without parents", "01"),
    Term("stepwise EM", "learning from rows that keep coming: the expected counts move a little "
         "with each batch", "15"),
    Term("T-junction", "a diverter put into a branch, so that evidence may enter there", "03"),
    Term("tied", "of blocks: they share one matrix", "13"),
    Term("unfolded", "of a graph: one slice repeated for every step, with tied matrices", "16"),
    Term("variational Bayes", "learning that averages over matrices: rows are sent as the "
         "exponential of the mean logarithm", "15"),
    Term("two sweeps", "all messages towards a root, then all messages away from it", "03"),
)  # fmt: skip

SYMBOLS: tuple[Symbol, ...] = (
    Symbol(r"$X,\ M_X$", "Branch", "a variable and the number of its values", "section 2", "01"),
    Symbol(r"$X^{(j)}$", "Branch.replica", "copy number j of X at a diverter", "section 2", "01"),
    Symbol(r"$\mathbf f_X$", "Belief.f", "forward message, a column per sample", "section 2", "01"),
    Symbol(r"$\mathbf b_X$", "Belief.b", "backward message, a column per sample", "section 2",
           "01"),
    Symbol(r"$\mathbf p_X\propto\mathbf f_X\odot\mathbf b_X$", "Belief.p", "belief", "section 2",
           "01"),
    Symbol(r"$\propto$", "normalize", "equal up to a factor; scaled to sum to one", "section 2",
           "01"),
    Symbol(r"$P(Y\vert X)=\theta=[\theta_{ij}]$", "Block", "a block and its matrix", "section 2",
           "01"),
    Symbol(r"$\pi_S,\ \Pi(S)$", "Source", "a source and its prior", "section 2.1", "02"),
    Symbol(r"$(X_1X_2X_3)$", "variable_to_product", "product space, the first variable slowest",
           "formulas 30 to 32", "A"),
    Symbol(r"$\otimes$", "product_to_variable", "Kronecker product, in the fixed matrices",
           "formulas 29 to 31", "A"),
    Symbol(r"$\epsilon_Z$", "Evidence", "the evidence function of a variable", "formula 3", "04"),
    Symbol(r"$\mathcal E[n]$", "read_evidence", "all evidence of sample n", "formula 2", "04"),
    Symbol(r"$f'_X,\ b'_Y$", NO_CODE, "what reaches a block before it is normalised", "formula 5",
           "04"),
    Symbol("$K_f,\\ K_b$", NO_CODE, "the factors that normalising brings", "formula 6", "04"),
    Symbol(r"$\mathbf f^T\theta\,\mathbf b$", "block_loglik",
           "likelihood of a sample at a block; its log is summed", "formulas 7 and 8", "04"),
    Symbol(r"$\log P(\mathcal E[n])$", "loglik", "exact log-likelihood of the graph", "formula 4",
           "04"),
    Symbol("$L[n]$", "fit", "learning mask: `weight`, and its opposite `test_weight`", "formula 9",
           "05"),
    Symbol("ML algorithm", "ml", "the maximum likelihood step", "formula 13", "05"),
    Symbol("KL algorithm", "kl", "the minimum divergence step", "formulas 15 to 17", "06"),
    Symbol(r"$KL(\mathbf b\,\Vert\,\mathbf f)$", NO_CODE, "Kullback-Leibler divergence",
           "formula 15", "06"),
    Symbol("VIT algorithm", "vit", "the count of most probable values", "section 3.3", "07"),
    Symbol(r"$\delta$", NO_CODE, "`delta`: the small constant of VIT and VAR", "section 3.3", "07"),
    Symbol(r"$\Theta,\ \mathcal T$", NO_CODE, "the matrix as a random variable, and its space",
           "formula 18", "08"),
    Symbol(r"$F_\theta$", NO_CODE, "the mean matrix", "formula 19", "08"),
    Symbol(r"$\alpha_{ij}$", NO_CODE, "`alpha`: pseudo-counts", "formula 24", "08"),
    Symbol("VAR algorithm", "var", "the count of products of messages", "formula 27", "08"),
    Symbol("$N_e$, $N_{it}$", "epochs", "epochs, and steps in each: `n_epochs` and `n_it`",
           "section 7.1", "09"),
    Symbol("$EX,\\ EY$", "sharpen", "the exponents that sharpen messages", "section 6", "10"),
    Symbol("$l$", "aggregated", "aggregated log-likelihood", "formula 28", "11"),
    Symbol(r"$\lambda_{lm},\ \beta_l$", NO_CODE, "multipliers of the constraints",
           "formulas 35 to 37", "B"),
)  # fmt: skip

WORKS: tuple[Work, ...] = (
    Work("A. Agresti (2002), *Categorical Data Analysis*, 2nd edition, Wiley",
         "the carcinoma table"),
    Work("L. E. Baum, T. Petrie, G. Soules, N. Weiss (1970), A maximization technique occurring in "
         "the statistical analysis of probabilistic functions of Markov chains, *Annals of "
         "Mathematical Statistics* 41", "Baum-Welch, EM for chains"),
    Work("J. Besag (1975), Statistical analysis of non-lattice data, *The Statistician* 24",
         "pseudo-likelihood"),
    Work("R. D. Bock, M. Lieberman (1970), Fitting a response model for n dichotomously scored "
         "items, *Psychometrika* 35", "the examination, our running case"),
    Work("O. Cappé, E. Moulines (2009), On-line expectation-maximization algorithm for latent data "
         "models, *Journal of the Royal Statistical Society B* 71", "stepwise EM"),
    Work("R. P. Chalmers (2012), mirt: a multidimensional item response theory package for the R "
         "environment, *Journal of Statistical Software* 48", "one ability in place of two kinds"),
    Work("J. S. Coleman (1964), *Introduction to Mathematical Sociology*, Free Press",
         "the schoolboys"),
    Work("R. J. MacG. Dawson (1995), The unusual episode data revisited, *Journal of Statistics "
         "Education* 3", "the Titanic"),
    Work("A. P. Dempster, N. M. Laird, D. B. Rubin (1977), Maximum likelihood from incomplete data "
         "via the EM algorithm, *Journal of the Royal Statistical Society B* 39", "EM"),
    Work("J. Eisner (2002), An interactive spreadsheet for teaching the forward-backward "
         "algorithm, *ACL Workshop on Effective Tools for Teaching*", "the diary of ice creams"),
    Work("G. D. Forney (2001), Codes on graphs: normal realizations, *IEEE Transactions on "
         "Information Theory* 47", "normal graphs"),
    Work("R. G. Gallager (1963), *Low-Density Parity-Check Codes*, MIT Press",
         "messages on a graph, long before the name"),
    Work("L. A. Goodman (1974), Exploratory latent structure analysis using both identifiable and "
         "unidentifiable models, *Biometrika* 61", "hidden classes, and what cannot be known"),
    Work("D. Koller, N. Friedman (2009), *Probabilistic Graphical Models*, MIT Press",
         "the student's graph; a textbook for all of this"),
    Work("K. B. Korb, A. E. Nicholson (2010), *Bayesian Artificial Intelligence*, 2nd edition, CRC "
         "Press", "the cancer graph"),
    Work("J. B. Kruskal (1977), Three-way arrays: rank and uniqueness of trilinear decompositions, "
         "*Linear Algebra and its Applications* 18", "when hidden states can be identified"),
    Work("F. R. Kschischang, B. J. Frey, H.-A. Loeliger (2001), Factor graphs and the sum-product "
         "algorithm, *IEEE Transactions on Information Theory* 47", "factor graphs"),
    Work("S. L. Lauritzen, D. J. Spiegelhalter (1988), Local computations with probabilities on "
         "graphical structures, *Journal of the Royal Statistical Society B* 50",
         "merging loops, and the clinic called asia"),
    Work("D. D. Lee, H. S. Seung (2001), Algorithms for non-negative matrix factorization, "
         "*Advances in Neural Information Processing Systems* 13", "the KL step in another guise"),
    Work("H.-A. Loeliger (2004), An introduction to factor graphs, *IEEE Signal Processing "
         "Magazine* 21", "the best first reading on normal graphs"),
    Work("G. J. McLachlan (1987), On bootstrapping the likelihood ratio test statistic for the "
         "number of components in a normal mixture, *Applied Statistics* 36", "the bootstrap test"),
    Work("F. A. N. Palmieri, *A Comparison of Algorithms for Learning Hidden Variables in Normal "
         "Graphs*, arXiv", "the paper of this course"),
    Work("J. Pearl (1988), *Probabilistic Reasoning in Intelligent Systems*, Morgan Kaufmann",
         "Bayesian graphs, belief propagation, d-separation"),
    Work("S. Russell, P. Norvig (2010), *Artificial Intelligence: A Modern Approach*, 3rd edition, "
         "Pearson", "the umbrella and the candies"),
    Work("R. D. Snee (1974), Graphical display of two-way contingency tables, *The American "
         "Statistician* 28", "hair and eyes"),
    Work("S. A. Stouffer, J. Toby (1951), Role conflict and personality, *American Journal of "
         "Sociology* 56", "four answers of 216 students"),
    Work("R. M. Tanner (1981), A recursive approach to low complexity codes, *IEEE Transactions on "
         "Information Theory* 27", "graphs with two kinds of nodes"),
    Work("N. Ueda, R. Nakano (1998), Deterministic annealing EM algorithm, *Neural Networks* 11",
         "annealing"),
    Work("J. S. Yedidia, W. T. Freeman, Y. Weiss (2005), Constructing free-energy approximations "
         "and generalized belief propagation algorithms, *IEEE Transactions on Information Theory* "
         "51", "what flooding on loops computes"),
)  # fmt: skip


def words() -> str:
    """The glossary as a table in Markdown, in alphabetical order."""
    ordered = sorted(TERMS, key=lambda term: term.word.lower())
    rows = ((f"**{t.word}**", t.meaning, t.chapter) for t in ordered)
    return _table(("Word", "Meaning", "Chapter"), rows)


def symbols() -> str:
    """The notation as a table in Markdown, in the order of the paper."""
    rows = (
        (s.paper, s.code if s.code == NO_CODE else f"`{s.code}`", s.meaning, s.where, s.chapter)
        for s in SYMBOLS
    )
    return _table(("In the paper", "In code", "What it is", "Where", "Chapter"), rows)


def bibliography() -> str:
    """The bibliography as a list in Markdown, in the order of the authors."""
    return "\n".join(f"- {work.reference}. ({work.role})" for work in WORKS)


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table in Markdown whose last column, the number of a chapter, is a link to it."""
    names = {chapter.number: chapter.path.name for chapter in chapters()}
    lines = ["| " + " | ".join(header) + " |", "|" + " :-- |" * len(header)]
    for *cells, number in rows:
        lines.append("| " + " | ".join([*cells, f"[{number}]({names[number]})"]) + " |")
    return "\n".join(lines)
