"""The course: its chapters, the functions that they call, and the command line ``fgn``."""
