"""The engine: normal graphs, their messages and the four learning rules, on NumPy alone.

Read it in this order: ``arrays``, ``rules``, ``product``, ``nodes``, ``junctions``, ``graph``,
``messages``, ``tables``, ``bayes``, ``evidence``, ``matrices``, ``schedule``, ``setting``,
``propagate``, ``likelihood``, ``decoding``, ``em``, ``learning``, ``fit``, ``matching``, ``files``.
A module imports only from those before it.
"""
