"""Glossary, notation and bibliography of the course, as data and as tables in Markdown.

Vocabulary
    term    a word of the course, its meaning, the chapter that explains it, and what the paper and
            other fields call it
    elsewhere   what other programs call a thing of ours
    symbol  a symbol of the paper, its name in the code, and the formula that defines it
    work    an entry of the bibliography, and why the course cites it

Formulas are counted in the order of the paper's source, as in ``contents``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fgn_notebooks.chapters import chapters

NO_CODE = "-"


@dataclass(frozen=True)
class Term:
    """A word, its meaning, the number of the chapter that explains it, and other names for it.

    ``also`` are the words by which the paper or another field calls the same thing.
    """

    word: str
    meaning: str
    chapter: str
    also: str = ""


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
    Term("aggregated log-likelihood",
         "the paper's number for a learning run: at each observed variable the log of what "
         "the rest of the evidence predicts, added up", "04",
         "pseudo-log-likelihood"),
    Term("annealing", "ML with the shares of each sample evened out at first", "15",
         "deterministic annealing EM"),
    Term("backward message",
         "the message against the arrow of a branch: how probable the evidence at the "
         "arrow's head is, for each value of the variable", "01"),
    Term("Bayesian graph",
         "nodes are variables, and an arrow leads from each parent to its child; each "
         "variable has a table of probabilities given its parents", "02",
         "Bayesian network, directed graphical model"),
    Term("BCH", "a correction of assigned classes by Bolck, Croon and Hagenaars: each sample is "
         "weighted by the inverse of the probabilities of classification errors", "13"),
    Term("belief",
         "the product of a branch's two messages, normalised: the probability of each value "
         "given all evidence", "01",
         "marginal, posterior distribution"),
    Term("BIC", "the Bayesian information criterion: minus twice the log-likelihood, plus the log "
         "of the number of samples for each parameter; less is better", "13"),
    Term("bivariate residual",
         "how far the counts of a pair of variables are from what the model expects, per "
         "degree of freedom", "13",
         "BVR"),
    Term("block", "a node with one input and one output that holds a matrix of conditional "
         "probabilities", "01",
         "SISO block (paper), conditional probability table, CPT, factor"),
    Term("bootstrap",
         "tables drawn anew from the rows of a table, to see how far what is learned from "
         "them moves", "13"),
    Term("branch",
         "a line of a normal graph: one variable, with a message in each direction", "01"),
    Term("ceiling",
         "the saturated log-likelihood: every row gets exactly the probability with which it "
         "occurs; no model is above it", "04",
         "saturated model"),
    Term("claim", "a statement of the paper with a check that a run passes or fails", "14"),
    Term("classification error",
         "the expected share of samples that are not in the most probable state of a hidden "
         "variable, to which they are assigned", "13"),
    Term("cluster", "a product space that holds a family of a merged graph", "17",
         "clique"),
    Term("cluster-robust",
         "of standard errors: they hold if samples that belong together, such as people of "
         "one household, depend on each other", "13"),
    Term("d-separation",
         "a rule that reads from the arrows of a graph which variables are independent given "
         "others", "02"),
    Term("decoding",
         "asking for the most probable states together, with maxima in place of sums", "16",
         "MPE query, Viterbi path; max-product"),
    Term("degrees of freedom",
         "of a test of fit: the counts of a table that can differ freely, less the numbers "
         "that the model chose", "13"),
    Term("delta function", "a message with all its weight on one value", "06"),
    Term("diameter",
         "the longest chain of messages that wait for each other; so many rounds of flooding "
         "are exact", "03"),
    Term("DIF", "differential item functioning: people of the same kind answer an item differently "
         "in different groups", "13"),
    Term("diverter", "a node that joins copies of one variable and holds them equal (the equal "
         "constraint of the literature)", "01",
         "equality node, equal constraint (paper: diverter)"),
    Term("E-step", "propagate all messages with the matrices as they are", "05",
         "belief propagation, sum-product"),
    Term("EM", "expectation and maximisation: E-step and M-step in turn, with the ML rule once per "
         "epoch", "05"),
    Term("entropy",
         "how uncertain a variable is: minus the mean logarithm of its probabilities, in "
         "bits if the logarithm is to base 2", "03"),
    Term("epoch", "one E-step and one M-step (the paper's EM cycle)", "05"),
    Term("evidence", "what is known about a variable in a sample: a value (hard), a column of "
         "likelihoods (soft), or nothing (missing)", "03",
         "observation; soft evidence: virtual evidence"),
    Term("filtering", "asking for a hidden state by the evidence up to its own step", "16"),
    Term("flooding", "every node sends on all its branches in every round", "03",
         "loopy belief propagation, on a graph with loops"),
    Term("floor", "the log-likelihood of the best model in which all observed variables are "
         "independent", "04",
         "independence model"),
    Term("forest", "a Bayesian graph with several roots and no loop", "02"),
    Term("forward message",
         "the message along the arrow of a branch: what is known at the arrow's tail, for "
         "each value of the variable", "01"),
    Term("given variable",
         "one that is always observed and has no distribution of its own; it closes no loop", "17",
         "exogenous variable, covariate, input"),
    Term("held out", "kept aside in learning, to judge what was learned", "13",
         "cross-validated"),
    Term("hidden Markov model",
         "a chain of hidden states whose steps share their matrices, each with something "
         "that is seen", "16"),
    Term("hidden variable", "a variable without a column in the table", "00",
         "latent variable, embedding variable (paper)"),
    Term("identified",
         "of a model: the data can fix all of its parameters, at least near a solution", "13",
         "identifiable"),
    Term("junction tree",
         "a tree of clusters of variables, with separators between them, that makes messages "
         "exact on a graph with loops", "17",
         "clique tree, join tree"),
    Term("label switching", "hidden states that exchange their numbers from run to run", "13"),
    Term("Laplace smoothing",
         "half a count, or another pseudo-count, added to each cell of each matrix, so that "
         "nothing is called impossible; `alpha=0.5`", "15",
         "additive smoothing, MAP under a Dirichlet prior"),
    Term("latent class",
         "a state of a hidden variable above all columns; the plain word for it is kind", "13",
         "mixture component, cluster, segment"),
    Term("learning mask",
         "the weight of each sample in learning: 1 to learn from it, 0 to keep it aside", "05",
         "case weights"),
    Term("likelihood", "the probability of the evidence, read as a function of the matrices", "04"),
    Term("local maximum",
         "a place from which no small change of the matrices raises the likelihood; learning "
         "may stop there below the best one", "13",
         "local optimum; mode of the likelihood"),
    Term("loop", "a way through a graph that comes back without turning; messages are not exact on "
         "it", "17"),
    Term("M-step", "every block takes a step of its rule on the messages that reached it", "05"),
    Term("MAP", "maximum a posteriori: the most probable value, or matrix, given the data and a "
         "prior", "08",
         "posterior mode"),
    Term("max-product",
         "messages with maxima in place of sums: they find the most probable states together", "03",
         "Viterbi algorithm, min-sum of negative logarithms"),
    Term("measurement invariance",
         "people of the same kind answer alike, whichever group they belong to", "13"),
    Term("merged graph", "a forest of product spaces made of a graph with loops", "17",
         "junction tree"),
    Term("missing at random",
         "whether a cell is missing may depend on what is observed in its row, but not on "
         "the value that is missing", "13",
         "MAR, ignorable"),
    Term("mutual information",
         "by how much the entropy of one variable falls, on average, when another is "
         "observed", "03"),
    Term("naive Bayes",
         "a graph with one variable above all columns, which are independent given it; with "
         "a hidden one it is latent class analysis", "13",
         "star, latent class model"),
    Term("nat", "the unit of a log-likelihood or divergence with natural logarithms", "04"),
    Term("Nit", "the steps that ML and KL take in a block within one epoch", "09",
         "inner iterations"),
    Term("normal graph",
         "a graph whose nodes are functions and whose lines are variables, with a diverter "
         "where a variable is needed more than once", "02"),
    Term("normalised", "scaled so that the entries sum to one", "01"),
    Term("odds ratio",
         "how many times as large the odds p / (1 - p) are in one state as in another", "13"),
    Term("parameters",
         "the numbers of a model that can be chosen: one less than the columns, for each row "
         "of each learned matrix", "02"),
    Term("parent", "of a variable: one on which it depends directly; an arrow leads from it", "00"),
    Term("permuted",
         "of a column: its values in another order, so that it says nothing of the other "
         "columns", "13",
         "shuffled; permutation test"),
    Term("posterior distribution",
         "the probabilities of a variable's values after all evidence", "01",
         "belief, marginal; class membership probabilities"),
    Term("prior", "the probabilities of a variable without parents, before any evidence", "02"),
    Term("product space", "one variable whose values are the joint configurations of several", "02",
         "joint variable"),
    Term("pseudo-count",
         "a number that is added to the count of a cell, as if so many samples had been seen "
         "before the data", "08",
         "Dirichlet prior, Laplace smoothing"),
    Term("rank", "of a learned model: how many of its parameters the data can fix; of a table: the "
         "least number of states that can produce it", "13"),
    Term("replica", "a copy of a variable at a diverter, such as X(1)", "01"),
    Term("restart", "a learning run from another random start", "00",
         "random start, initialisation"),
    Term("row-stochastic", "of a matrix: no entry is negative and every row sums to one", "01"),
    Term("saddle",
         "a place from which the log-likelihood rises in some directions and falls in "
         "others", "09"),
    Term("sample", "one case, such as a slide or a student: a row of a table, and a column of a "
         "message", "00"),
    Term("sensitivity",
         "how fast a posterior changes with one number of a matrix, while the others of its "
         "row move in proportion", "03"),
    Term("separator", "what two neighbouring clusters of a junction tree have in common", "17",
         "sepset"),
    Term("sharpen", "raise a message to a power and normalise it again", "05",
         "tempering, temperature 1/exponent"),
    Term("SISO", "the paper's name for a block: single input, single output", "01"),
    Term("slice", "the variables of one step of an unfolded graph", "16"),
    Term("smoothing",
         "asking for a hidden state by all evidence, that of later steps included", "16",
         "forward-backward"),
    Term("source", "a node that holds the prior of a variable without parents", "01",
         "prior, root"),
    Term("stepwise EM",
         "learning from rows that keep coming: the expected counts move a little with each "
         "batch", "15",
         "online EM"),
    Term("sum-product",
         "messages with products and sums: they find the probability of each value", "01",
         "belief propagation"),
    Term("T-junction", "a diverter put into a branch, so that evidence may enter there", "03"),
    Term("three-step",
         "of an analysis: learn the classes, assign the samples, relate the assigned classes "
         "to other columns, with a correction for classification errors", "13"),
    Term("tied", "of blocks: they share one matrix", "13",
         "parameter sharing"),
    Term("treewidth",
         "the number of variables in the largest cluster of a junction tree, less one, for "
         "the best order of elimination", "17",
         "induced width"),
    Term("two sweeps", "all messages towards a root, then all messages away from it", "03",
         "belief propagation, forward-backward, collect and distribute"),
    Term("unfolded", "of a graph: one slice repeated for every step, with tied matrices", "16",
         "unrolled, dynamic Bayesian network"),
    Term("variational Bayes",
         "learning that averages over matrices: rows are sent as the exponential of the mean "
         "logarithm", "15",
         "VBEM"),
    Term("Wald test",
         "a test of equations between estimates by their covariance: the squared difference, "
         "divided by its variance, against chi-square", "13"),
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
    Work("Z. Bakk, D. L. Oberski, J. K. Vermunt (2014), Relating latent class assignments to "
         "external variables: standard errors for correct inference, *Political Analysis* 22",
         "errors of a three-step analysis"),
    Work("L. E. Baum, T. Petrie, G. Soules, N. Weiss (1970), A maximization technique occurring in "
         "the statistical analysis of probabilistic functions of Markov chains, *Annals of "
         "Mathematical Statistics* 41", "Baum-Welch, EM for chains"),
    Work("J. Besag (1975), Statistical analysis of non-lattice data, *The Statistician* 24",
         "pseudo-likelihood"),
    Work("R. D. Bock, M. Lieberman (1970), Fitting a response model for n dichotomously scored "
         "items, *Psychometrika* 35", "the examination, our running case"),
    Work("A. Bolck, M. Croon, J. Hagenaars (2004), Estimating latent structure models with "
         "categorical variables: one-step versus three-step estimators, *Political Analysis* 12",
         "BCH"),
    Work("A. C. Cameron, D. L. Miller (2015), A practitioner's guide to cluster-robust inference, "
         "*Journal of Human Resources* 50", "cluster-robust errors"),
    Work("O. Cappé, E. Moulines (2009), On-line expectation-maximization algorithm for latent data "
         "models, *Journal of the Royal Statistical Society B* 71", "stepwise EM"),
    Work("R. P. Chalmers (2012), mirt: a multidimensional item response theory package for the R "
         "environment, *Journal of Statistical Software* 48", "one ability in place of two kinds"),
    Work("C. C. Clogg, L. A. Goodman (1984), Latent structure analysis of a set of "
         "multidimensional contingency tables, *Journal of the American Statistical Association* "
         "79", "measurement invariance"),
    Work("J. S. Coleman (1964), *Introduction to Mathematical Sociology*, Free Press",
         "the schoolboys"),
    Work("V. M. H. Coupé, L. C. van der Gaag (2002), Properties of sensitivity analysis of "
         "Bayesian belief networks, *Annals of Mathematics and Artificial Intelligence* 36",
         "sensitivity"),
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
    Work("C. E. Shannon (1948), A mathematical theory of communication, *Bell System Technical "
         "Journal* 27", "entropy and mutual information"),
    Work("R. D. Snee (1974), Graphical display of two-way contingency tables, *The American "
         "Statistician* 28", "hair and eyes"),
    Work("S. A. Stouffer, J. Toby (1951), Role conflict and personality, *American Journal of "
         "Sociology* 56", "four answers of 216 students"),
    Work("R. M. Tanner (1981), A recursive approach to low complexity codes, *IEEE Transactions on "
         "Information Theory* 27", "graphs with two kinds of nodes"),
    Work("N. Ueda, R. Nakano (1998), Deterministic annealing EM algorithm, *Neural Networks* 11",
         "annealing"),
    Work("J. K. Vermunt (2010), Latent class modeling with covariates: two improved three-step "
         "approaches, *Political Analysis* 18", "the three-step correction by maximum likelihood"),
    Work("A. Wald (1943), Tests of statistical hypotheses concerning several parameters when the "
         "number of observations is large, *Transactions of the American Mathematical Society* 54",
         "the Wald test"),
    Work("E. B. Wilson (1927), Probable inference, the law of succession, and statistical "
         "inference, *Journal of the American Statistical Association* 22",
         "intervals of a share that is 0 or 1"),
    Work("J. S. Yedidia, W. T. Freeman, Y. Weiss (2005), Constructing free-energy approximations "
         "and generalized belief propagation algorithms, *IEEE Transactions on Information Theory* "
         "51", "what flooding on loops computes"),
)  # fmt: skip


ELSEWHERE: Mapping[str, Mapping[str, str]] = {
    "states of a hidden variable": {
        "ours": '`hidden={"Kind": 3}`', "poLCA": "`nclass`", "StepMix": "`n_components`",
        "hmmlearn": "`n_components`", "pgmpy": "`latents=`, `latent_card=`",
        "Mplus": "`CLASSES = c(3)`"},
    "prior of the hidden variable": {
        "ours": '`theta["Kind"]`', "poLCA": "`P`", "StepMix": "`weights_`",
        "hmmlearn": "`startprob_`", "pgmpy": "`TabularCPD` without parents",
        "Mplus": "class proportions"},
    "matrix of a column": {
        "ours": '`theta["A|Kind"]`', "poLCA": "`probs`", "StepMix": "`get_mm_df()`",
        "hmmlearn": "`emissionprob_`", "pgmpy": "`TabularCPD`, a column for each parent state",
        "Mplus": "thresholds; `RESULTS IN PROBABILITY SCALE`"},
    "matrix between steps": {
        "ours": '`theta["transition"]`', "hmmlearn": "`transmat_`",
        "pgmpy": "`DynamicBayesianNetwork`", "Mplus": "latent transition analysis"},
    "posterior distribution": {
        "ours": "`posterior`, `score`", "poLCA": "`posterior`", "StepMix": "`predict_proba`",
        "hmmlearn": "`predict_proba`", "pgmpy": "`query` of `VariableElimination`",
        "Mplus": "`SAVE = CPROBABILITIES`"},
    "most probable states": {
        "ours": "`most_probable`", "poLCA": "`predclass`", "StepMix": "`predict`",
        "hmmlearn": "`predict`, `decode`", "pgmpy": "`map_query` of `VariableElimination`",
        "Mplus": "most likely class membership"},
    "random starts": {
        "ours": "`restarts=20`", "poLCA": "`nrep`", "StepMix": "`n_init`", "Mplus": "`STARTS`"},
    "epochs of EM": {
        "ours": "`n_epochs`", "poLCA": "`maxiter`", "StepMix": "`max_iter`",
        "hmmlearn": "`n_iter`", "pgmpy": "`max_iter` of `DiscreteEM`", "Mplus": "`MITERATIONS`"},
    "parameters": {
        "ours": "`run.n_free`", "poLCA": "`npar`", "StepMix": "`n_parameters`",
        "Mplus": "Number of Free Parameters"},
    "log-likelihood": {
        "ours": "`run.final_loglik`", "poLCA": "`llik`", "StepMix": "`score`, the mean of a row",
        "hmmlearn": "`score`, the sum", "Mplus": "H0 Value"},
    "pseudo-counts": {
        "ours": "`alpha`", "hmmlearn": "`emissionprob_prior`, which is alpha + 1",
        "pgmpy": "`pseudo_counts` of `DiscreteBayesianEstimator`"},
    "missing cells": {
        "ours": "None, NaN, blank; `missing=[9]`", "poLCA": "`na.rm = FALSE`",
        "StepMix": '`"categorical_nan"`', "Mplus": "`MISSING = ALL (9)`"},
    "weights of rows": {
        "ours": "`weight`", "StepMix": "`sample_weight`", "pgmpy": "`sample_weight` of `fit`",
        "Mplus": "`FREQWEIGHT`, `WEIGHT`"},
    "distance to the ceiling": {
        "ours": "`goodness`, G2", "poLCA": "`Gsq`", "Mplus": "Likelihood Ratio Chi-Square"},
    "bootstrap test of the number of classes": {
        "ours": "`blrt`", "StepMix": "`blrt` of `stepmix.bootstrap`", "Mplus": "`TECH14`"},
    "residuals of pairs": {"ours": "`residuals`", "Mplus": "`TECH10`"},
    "classes related to other columns": {
        "ours": "`three_step`", "StepMix": '`n_steps=3`, `correction="ML"` or `"BCH"`',
        "Mplus": "`AUXILIARY` with `R3STEP`, `BCH`"},
    "several sequences": {"ours": "`sequences`", "hmmlearn": "`lengths` of `fit`"},
    "groups": {"ours": "`invariance`, `given=`", "Mplus": "`KNOWNCLASS`"},
    "soft evidence": {"ours": '`{"A": [[0.2, 0.8]]}`', "pgmpy": "`virtual_evidence` of `query`"},
    "graph without loops": {"ours": "`graph.merged()`", "pgmpy": "`to_junction_tree()`"},
}  # fmt: skip
"""The names of other programs for a thing of ours; a program that has no name is left out."""

PROGRAMS = ("ours", "poLCA", "StepMix", "hmmlearn", "pgmpy", "Mplus")


def elsewhere() -> str:
    """The names of other programs for our things, as a table in Markdown."""
    lines = ["| Thing | " + " | ".join(PROGRAMS) + " |", "|" + " :-- |" * (1 + len(PROGRAMS))]
    for thing, names in ELSEWHERE.items():
        cells = (names.get(program, "-").replace("|", r"\|") for program in PROGRAMS)
        lines.append("| " + " | ".join([thing, *cells]) + " |")
    return "\n".join(lines)


def words() -> str:
    """The glossary as a table in Markdown, in alphabetical order."""
    ordered = sorted(TERMS, key=lambda term: term.word.lower())
    rows = ((f"**{t.word}**", t.meaning, t.also or "-", t.chapter) for t in ordered)
    return _table(("Word", "Meaning", "Also called", "Chapter"), rows)


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
