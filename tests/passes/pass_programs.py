"""Hand-written programs for the passes, and the two questions each test asks of them.

`become` is the exact text after a pass; `agree` is that a pass left the results, the arguments
written to and what is raised as they were, on the reference backend.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.backends.python import build
from srcgrad.ir.check import check
from srcgrad.ir.nodes import Def, Function
from srcgrad.ir.parse import parse
from srcgrad.ir.text import to_text
from srcgrad.ir.walk import walk
from srcgrad.primitives import REGISTRY

Run = Callable[..., Function]


def program(params: str, body: str, returns: str = "") -> Function:
    """A legal function `f`; the dims n, m of arrays x, y are bound at its entry."""
    entry = [
        f"{d}: int = dim({v}, axis=0)" for d, v in (("n", "x"), ("m", "y")) if f"[{d}" in params
    ]
    lines = "\n".join("    " + line for line in [*entry, *body.strip("\n").splitlines()])
    f = parse(f"def f({params}):\n{lines}\n    return ({returns})\n", REGISTRY)
    check(f)
    return f


def after(run: Run, f: Function) -> Function:
    """The function after a pass, checked."""
    new = run(copy.deepcopy(f, {id(op): op for op in REGISTRY.values()}))
    check(new)
    return new


def text(f: Function) -> str:
    """The printed body, without the entry's dims."""
    lines = to_text(f, notes=False).splitlines()[1:]
    return "\n".join(line[4:] for line in lines if ": int = dim(" not in line)


def count(f: Function, *names: str) -> int:
    """How many definitions use one of these primitives."""
    return sum(isinstance(s, Def) and s.op.name in names for s in walk(f.body))


def outcome(f: Function, args: tuple) -> Any:
    """The results and the arguments afterwards, or the kind of error and its text."""
    args = tuple(copy.deepcopy(a) for a in args)
    try:
        returned = build(f)(*args)
    except Exception as error:
        return type(error).__mro__[-3:-1], str(error).splitlines()[0]
    return [np.asarray(v).tolist() for v in (*returned, *args)]


def agree(run: Run, f: Function, *calls: tuple) -> Function:
    """The function after a pass, having given the same as before it on each list of arguments."""
    new = after(run, f)
    for args in calls:
        assert outcome(new, args) == outcome(f, args), to_text(new)
    return new


def vec(*values: float) -> np.ndarray:
    return np.array(values, dtype=float)
