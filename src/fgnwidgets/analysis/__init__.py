"""What a report needs of a run: criteria, what the data can fix, errors, comparisons, scoring.

Everything here imports from the engine, and nothing of drawing.
"""
