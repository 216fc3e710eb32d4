"""The engine: normal graphs, their messages and the four learning rules, on NumPy alone.

Read it in this order: ``arrays``, ``rules``, ``product``, ``graph``, ``messages``, ``bayes``,
``matrices``, ``evidence``, ``propagate``, ``likelihood``, ``decoding``, ``learning``, ``files``.
A module imports only from those above it.
"""
