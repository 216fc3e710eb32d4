"""Evidence on a graph, messages through it, and the questions that they answer (sections 2, 3).

``evidence`` reads a table, ``propagation`` clamps it and sweeps, ``queries`` and ``decoding``
answer from what the sweeps leave, ``schedules`` shows messages round by round, ``messages`` is
what users see of them. ``chains`` is a fast path for long chains that can be taken out.
"""
