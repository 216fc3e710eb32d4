"""The engine: normal graphs, their messages and the learning rules, on NumPy alone.

In the order of the paper: ``arrays``, ``branches``, ``nodes``, ``graph``, ``messages``,
``propagate``, ``rules``, ``learning``. One epoch of EM is read in four of them: learning calls
propagate for the E-step, in which nodes send what the products and sums of a semiring make, and
rules count for the M-step.

Equations are called by their numbers, which count all that the paper numbers, appendices included.

A module imports only from those before it, and from ``fgnwidgets.readers``, which read arguments.
What users meet first, Bayesian graphs and tables, stands around it in ``fgnwidgets.border``.
"""
