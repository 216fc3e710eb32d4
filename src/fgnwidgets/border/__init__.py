"""The border: from the Bayesian graphs and tables that users have to the engine, and back.

Graphs, with what becomes of loops: ``normal``, ``regions``, ``clusters``, ``merging``, ``bayes``.
Tables and matrices: ``folding``, ``evidence``, ``theta``, ``files``. One block by itself:
``configure``, ``block``. A fast path for sequences, which all else could do without: ``chains``.
Where messages and matrices begin: ``starts``. Questions to a model: ``queries``, ``schedules``,
``decoding``. Learning to its end: ``options``, ``posing``, ``run``, ``record``,
``advice``, ``fit``.

A module imports only from those before it, from ``fgnwidgets.engine`` and ``fgnwidgets.tables``.
"""
