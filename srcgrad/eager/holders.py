"""Who else holds a value, by its count of references: what may be written to where nobody does.

A call adds references of its own, and how many depends on the version of Python: they are counted
here once, on a value that nothing else holds, for each way in which the tape counts.
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


# of a value that a variable of the function holds, that one of the caller's holds which gave it,
# and that a dict holds of which the caller gave it
IN_VARIABLE = _in_variable()
IN_CALLERS_VARIABLE = _in_callers_variable()
IN_CALLERS_DICT = _in_callers_dict()
