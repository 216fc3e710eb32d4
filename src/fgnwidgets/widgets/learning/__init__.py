"""Learning on the graph: curves, matrices and messages at a chosen epoch (section 7)."""
