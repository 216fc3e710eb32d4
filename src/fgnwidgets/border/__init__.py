"""The border: from the Bayesian graphs and tables that users have to the engine, and back.

A fast path for sequences, which all below could do without: ``chains``. One block by itself:
``configure``, ``block``. Graphs, with what becomes of loops: ``normal``, ``regions``,
``clusters``, ``merging``, ``bayes``. Tables and matrices: ``folding``, ``evidence``, ``theta``.
Where learning begins: ``slices``, ``starts``. Questions to a model: ``schedules``, ``queries``,
``marginals``, ``likelihood``, ``decoding``. Learning to its end: ``files``, ``posing``, ``run``,
``advice``, ``fit``.

A module imports only from those before it, from ``fgnwidgets.engine`` and ``fgnwidgets.tables``.
"""
