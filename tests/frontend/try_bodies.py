"""Bodies of `try` run by Python and on each target, or refused alike."""

import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from tests.frontend.as_python import TARGETS, outcome
from tests.fuzz.source import loaded

HEADER = "import cmath\nimport math\nimport operator\n\nimport numpy as np\n\n\n"
POINTS = [(0.5, 3), (-0.5, 1), (0.0, 0)]
TEXT = """\
def f(x, w, n):
    s = 0.5 * w
    try:
        BODY
    except Exception:
        s = s - 7.0
    return s + x[1]
"""
CHANGED = "what this changes shows although a later step may raise"


def alike(got: Any, wanted: Any) -> bool:
    """Equal numbers, whose class may be NumPy's on one path, or exceptions of one class."""
    if isinstance(wanted, tuple):
        return isinstance(got, tuple) and isinstance(got[1], type(wanted[1]))
    return not isinstance(got, tuple) and bool(
        np.isclose(got, wanted, rtol=1e-14, atol=0.0, equal_nan=True)
    )


def right_or_refused(f: Callable, refused: str) -> None:
    """What Python does at each point, or everywhere the same refusal."""
    for w, n in POINTS:
        args = (np.array([1.0, 2.0, 3.0]), w, n)
        with np.errstate(all="ignore"):
            wanted = outcome(f, args)
        for target in TARGETS:
            got = outcome(flow.compile(f, target=target, cache=False), args)
            if refused:
                assert isinstance(got[0], tuple) and isinstance(got[0][1], UnsupportedError), got
                assert refused in str(got[0][1])
            else:
                assert got[1] == wanted[1], (target, w, n)
                assert alike(got[0], wanted[0]), (target, w, n, got[0], wanted[0])


def check(text: str, refused: str = "") -> None:
    with loaded(HEADER + text, "hostile") as namespace:
        right_or_refused(namespace["f"], refused)


def body(text: str, refused: str = "") -> None:
    """A program whose `try` has these statements."""
    check(TEXT.replace("BODY", textwrap.indent(text, "        ").strip()), refused)
