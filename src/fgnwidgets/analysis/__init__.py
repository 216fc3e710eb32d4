"""Reports about a learned model: criteria, identifiability, standard errors, comparisons,
residuals, and the scores of a table's rows.

Nothing here draws.
"""
