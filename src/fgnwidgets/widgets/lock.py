"""One lock around everything that a widget computes or draws.

JupyterLab delivers what a page says in threads of their own, also while a cell runs: two
callbacks, or a callback and a cell, may meet. Whoever computes for a widget holds ``LOCK``.
"""

from threading import RLock

LOCK = RLock()
