"""``python -m fgn_notebooks`` is the command line ``fgn``."""

import sys

from fgn_notebooks.cli import main

sys.exit(main())
