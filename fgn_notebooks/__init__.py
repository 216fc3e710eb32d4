"""The course: what its chapters call, the chapters themselves, and the command line ``fgn``."""
