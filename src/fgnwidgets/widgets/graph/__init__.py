"""The living graph: one clicks evidence, branches and rounds, and sees messages (section 2)."""
