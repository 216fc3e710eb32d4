"""Shared by all widgets: the protocol of page and Python, stored pictures, pages in one file."""
