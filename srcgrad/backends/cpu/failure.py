"""The exception that compiled code raises: the number of its site and the operands there.

The wrapper around a compiled function turns it into the exception that NumPy would raise.
A function of Python's that compiled code calls raises one without arguments: its own exception,
and the site, are stored apart (`callbacks.raised`). Never seen by a user.
"""


class Failure(Exception):
    """`args`: the site's number, then the operands of the statement that failed; or none."""
