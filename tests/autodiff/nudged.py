"""A reference backend that perturbs the floats that the reverse sweep recomputes.

Each recomputed float changes by a relative 1e-13, with alternating sign from element to element. A
derivative hardly changes, unless a decision was made on such a float instead of the original.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from typing import Any

import numpy as np

from srcgrad.autodiff import partition
from srcgrad.autodiff.decisions import rounds
from srcgrad.autodiff.reverse.exact import Exact
from srcgrad.ir.nodes import Def, Var, altered
from srcgrad.primitives import REGISTRY
from srcgrad.primitives.registry import Primitive
from srcgrad.transforms import reuse, vjp

RELATIVE = 1e-13
SINGLE = 2.0**-22  # of single precision: two roundings


def _moved(a: Any, up: int = 1) -> Any:
    a = np.asarray(a)
    if a.dtype.kind not in "fc":
        return a[()]
    by = SINGLE if a.dtype in (np.float32, np.complex64) else RELATIVE
    places = np.indices(a.shape).sum(axis=0) if a.ndim else 0
    return (a * (1.0 + up * by * (1 - 2 * (places % 2)))).astype(a.dtype)[()]


MOVED = Primitive("moved", _moved, "derive", elementwise=True, rules=(lambda y, a, up: 1.0,))


def _forget() -> None:
    """Nothing that was built is used again."""
    vjp._pair_of.cache_clear()
    reuse.forget()


@contextmanager
def nudged() -> Iterator[list[str]]:
    """Differentiate so, inside the block; yields the names of what was moved."""
    again, prelude = Exact.again, partition._Cut.prelude
    ups, names = cycle((1, -1)), []

    def moved_again(self: Exact, op: Any, args: Any, name: str, params: dict) -> Any:
        got = again(self, op, args, name, params)
        if not isinstance(got, Var) or not rounds(op, got.type):
            return got
        names.append(name)
        out = self.b(MOVED, got, up=next(ups), name=name)
        self.rounded.add(out)
        return out

    def moved_prelude(self: Any) -> tuple[Def, ...]:
        out: list[Def] = []
        for s in prelude(self):
            if s.var is not None and rounds(s.op, s.var.type):
                names.append(s.var.name)
                exact = Var(s.var.name, s.var.type)
                out.append(altered(s, var=exact))
                s = Def(s.var, MOVED, (exact,), {"up": next(ups)}, s.loc)
            out.append(s)
        return tuple(out)

    _forget()
    REGISTRY[MOVED.name] = MOVED
    Exact.again, partition._Cut.prelude = moved_again, moved_prelude  # type: ignore[method-assign]  (patched)
    try:
        yield names
    finally:
        Exact.again, partition._Cut.prelude = again, prelude  # type: ignore[method-assign]  (as it was)
        del REGISTRY[MOVED.name]
        _forget()
