"""Bayesian graphs as users write them, their normal form, their files, and unrolled time."""
