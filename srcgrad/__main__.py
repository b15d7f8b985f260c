"""``python -m srcgrad``: the command line. All it does lives in ``srcgrad.command_line``."""

import sys

from srcgrad.command_line import main

if __name__ == "__main__":
    sys.exit(main())
