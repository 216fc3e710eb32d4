"""The lock that is held by whatever computes or draws for a widget.

JupyterLab delivers messages of a page in threads of their own, even while a cell runs. So two
callbacks, or a callback and a cell, may run at the same time.
"""

from threading import RLock

LOCK = RLock()
