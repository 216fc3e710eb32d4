"""For students: copies and their updates, numbers of one's own, settings of JupyterLab."""
