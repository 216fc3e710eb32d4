"""Learning the matrices of a graph from a table (sections 3 to 7).

``rules`` (one block's M-step), ``em`` (E-step, M-step, the loop of epochs), ``task`` (what is to be
learned, as one value, and where it begins), ``settling`` (when a restart has arrived), ``run``
(what came of it), ``fit`` (learning to the end). ``observed`` and ``workers`` make it fast,
``block`` is one block by itself, ``observations`` says what was counted, ``diagnostics`` what a
careful reader should know, ``files`` keeps runs.
"""
