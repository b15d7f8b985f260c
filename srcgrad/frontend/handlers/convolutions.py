"""The sliding sum of convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas import polynomials
from srcgrad.frontend.handlers.elementwise import scalar_type
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.ir.nodes import For, Var, atom
from srcgrad.ir.types import INT


@implements(polynomials.overlaps)
def overlaps(it: Interpreter, node: Node, a: Any, v: Any) -> Any:
    """Overlaps by windows of the length of `a`, which need no bounds and share the sum's loop."""
    b, kind = it.b, scalar_type(it, node, it.call_numpy(np.result_type, [a, v], {}, node))
    a, v = b.cast(a, kind), b.cast(v, kind)
    n, m = a.type.dims[0], v.type.dims[0]
    total = b.dim(b.maximum(b.sub(b.add(n, m), 1), 0))
    out = b.zeros(total, dtype=kind.dtype)
    index = Var("k", INT)
    with b.block() as body:
        window = b.view(out, index, n, 1, spec=("s",))
        b.add_to(window, b.mul(a, b.load(v, index)))
    b.append(For(index, atom(0), atom(m), (), (), tuple(body), (), (), False, b.loc))
    return out
