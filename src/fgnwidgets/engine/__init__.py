"""The engine: normal graphs, their messages and the learning rules, on NumPy alone.

The core, in the order of the paper: ``readers`` and ``arrays``, ``semirings``, ``nodes``,
``graph``, ``messages``, ``schedule``, ``chains``, ``propagate``, ``rules``, ``learning``. One
epoch of EM is read in four of them: learning calls propagate for the E-step, in which nodes send,
and rules count for the M-step.

The border with users: ``block``, ``cycles``, ``regions``, ``clusters``, ``merging``, ``bayes``,
``folding``, ``evidence``, ``theta``, ``queries``, ``likelihood``, ``decoding``, ``files``,
``posing``, ``run``, ``advice``, ``fit``.

A module imports only from those before it.
"""
