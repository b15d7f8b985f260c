"""Docstrings of classes that are made of functions."""

import inspect
import re
from typing import Any

from srcgrad.tracebacks import within

# the call in the example of a function: its tensors, and its options
CALL = re.compile(r"^>>> flow\.[\w.]+\(((?:flow\.\w+\([^()]*\)(?:, )?)+)(.*)\)$", re.M)


def shown_as(function: Any, made: str) -> str:
    """The docstring of a function, for a class whose instances hold its options.

    In the example, `made` is called with the options, and what it makes with the tensors.
    """

    def called(found: re.Match[str]) -> str:
        return f">>> {made}({found[2]})({found[1].removesuffix(', ')})"

    return CALL.sub(called, inspect.cleandoc(str(within(function).__doc__)), count=1)
