"""Normal graphs: branches, nodes, and what is said of a graph by its matrices (section 2).

``branches``, ``nodes`` and ``normal_graph`` are the description itself; ``directed`` is what a
Bayesian graph is to them. ``families`` says which variables a matrix speaks of, ``theta`` reads
matrices, ``own_nodes`` checks what a reader's own node sends.
"""
