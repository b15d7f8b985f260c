"""Chooses the mode of a Jacobian by the numbers of inputs and outputs of the call that builds it.

Lengths are evaluated for the arguments of that call. One that only a run tells counts as many as
there are inputs, and a placeholder's length as two.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.ir.nodes import Atom, Const, Def, Var
from srcgrad.ir.types import Array
from srcgrad.ir.walk import walk
from srcgrad.primitives import memory
from srcgrad.transforms.program import Program
from srcgrad.tree import paths


def by_columns(
    p: Program, arguments: dict[str, Any], wrt: Sequence[int], of: Sequence[int]
) -> bool:
    """Whether a Jacobian is computed in forward mode: no fewer outputs than inputs."""
    lengths = _Lengths(p, arguments)
    inputs = sum(lengths.size(p.function.params[k], 0) for k in wrt)
    return sum(lengths.size(p.function.returns[k], inputs) for k in of) >= inputs


class _Lengths:
    """The lengths of a program for the arguments of a call."""

    def __init__(self, p: Program, arguments: dict[str, Any]):
        given = {path: v for n, a in arguments.items() for path, v in paths(a, (n,))}
        params = p.function.params
        inputs = (given.get(path) for path in p.inputs)
        self.value: dict[Any, Any] = dict(zip(params, inputs, strict=False))
        held = zip(params[len(p.inputs) :], p.hidden, strict=False)
        self.value |= {v: h.path.fetch() for v, h in held if h.path.kind != "closure"}
        self.made = {s.var: s for s in walk(p.function.body) if isinstance(s, Def)}

    def size(self, a: Atom, unknown: int) -> int:
        """The number of elements of a value; `unknown` if a length is not known."""
        dims = a.type.dims if isinstance(a.type, Array) else ()
        lengths = [self.of(d) for d in dims]
        known = [n for n in lengths if n is not None]
        if len(known) < len(lengths):
            return unknown
        return math.prod(max(n, 2) for n in known if n != 1)

    def of(self, a: Any) -> int | None:
        """A length; None if it depends on more than lengths."""
        if not isinstance(a, Var):
            return int(a.value if isinstance(a, Const) else a)
        s = self.made.get(a)
        if s is None:
            return None
        if s.op is memory.dim:
            shape = np.shape(self.value.get(s.array, 0.0))
            return shape[s.params["axis"]] if len(shape) > s.params["axis"] else None
        found = [self.of(x) for x in s.args] if s.op.elementwise else [None]
        return None if None in found else int(s.op.impl(*found, **s.params))
