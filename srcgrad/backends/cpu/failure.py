"""The exception that compiled code raises: the number of its site and the operands there.

The wrapper around a compiled function turns it into the exception that NumPy would raise.
Never seen by a user.
"""


class Failure(Exception):
    """`args` are the site's number, then the operands of the statement that failed."""
