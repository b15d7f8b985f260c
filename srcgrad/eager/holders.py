"""Counts references to a value: it may be written to where nothing else holds it.

A call adds references of its own, and how many depends on the version of Python: they are counted
once here, on a value that nothing else holds, for each way in which the tape counts.
"""

from __future__ import annotations

import sys
from typing import Any

references = sys.getrefcount


def _of_argument(v: Any) -> int:
    return references(v)


def _in_variable() -> int:
    v = [0]
    return references(v)


def _in_callers_variable() -> int:
    v = [0]
    return _of_argument(v)


def _in_callers_dict() -> int:
    values = {0: [0]}
    return _of_argument(values[0])


# references of a value in a variable of the function, in one of the caller's, which passed it, and
# in a dict that the caller passed
IN_VARIABLE = _in_variable()
IN_CALLERS_VARIABLE = _in_callers_variable()
IN_CALLERS_DICT = _in_callers_dict()
