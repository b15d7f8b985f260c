"""The command line: ``srcgrad COMMAND``, or ``python -m srcgrad COMMAND``.

Each command is one function from parsed arguments to an exit code, and imports what it needs when
it runs, so that `--help` loads no compiler. Exit codes: 0 for success, 1 for a function that is
refused, raises or has a wrong gradient, 2 for a command that cannot be run as it is written.
"""

from srcgrad.command_line.parser import main

__all__ = ["main"]
