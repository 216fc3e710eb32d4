"""The editor of graphs: draw a graph, learn it from a table, ask for beliefs, get the code."""
