"""Learning the matrices of a graph from a table (sections 3 to 7).

``rules`` (one block's M-step), ``em`` (E-step, M-step, the loop of epochs), ``starts`` (where it
begins), ``task`` (what is to be learned, as one value), ``run`` (what came of it), ``fit``
(learning to the end). ``block`` is one block by itself, ``observations`` says what counts in a
criterion, ``diagnostics`` what a careful reader should know, ``files`` keeps runs.
"""
