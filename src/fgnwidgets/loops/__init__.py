"""Graphs with loops, made exact: an elimination order, a junction tree, families on its cliques."""
