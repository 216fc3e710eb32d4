"""Arithmetic on arrays that every other room stands on: NumPy alone.

``arrays`` (products and sums of messages), ``distributions`` (columns and rows that sum to one),
``products`` (product spaces), ``semirings`` (sum-product, max-product and their logarithms).
"""
