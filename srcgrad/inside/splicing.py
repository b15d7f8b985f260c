"""Inserts a program into the one being built, with its captured values and restrictions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.autodiff.splice import splice
from srcgrad.custom.check import boxed
from srcgrad.frontend.guards import Hidden, Path
from srcgrad.frontend.instances import entered
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.kinds import MARKS, kind_of
from srcgrad.frontend.requirements import Requirements
from srcgrad.frontend.values import plain
from srcgrad.inside.overlap import refuse_overlap
from srcgrad.ir.nodes import Const, Var, atom
from srcgrad.ir.types import Array, Scalar, np_dtype
from srcgrad.transforms.program import Program
from srcgrad.tree import Leaf, mapped, outside


def spliced(it: Interpreter, program: Program, given: list, node: Node) -> Any:
    """Emits a program for the values of its parameters, and returns its result."""
    refuse_stored_names(it, program, node)
    given = [atom(v) for v in given]
    refuse_overlap(it, given, program.unshared, node)
    fitting = [_fitting(it, p, v) for p, v in zip(program.function.params, given, strict=True)]
    depth, head = it.heads[-1]
    inside = len(it.b.scopes) > depth
    returns = splice(it.b, program.function, fitting, head if inside else None)
    for k, parameter in program.state:
        held = it.captures.take(it, Path("state", parameter), "state", node)
        it.call(np.copyto, [held, returns[k]], {}, node)

    def at(leaf: Any) -> Any:
        return plain(returns[leaf.k]) if isinstance(leaf, Leaf) else leaf

    return entered(it, program.output, node, at)


def refuse_stored_names(it: Interpreter, program: Program, node: Node) -> None:
    """Refuses a program that reads, as its own capture, what its caller stores to or changes."""
    for guard in program.guards:
        if id(guard.now()) in it.captures.changed:
            said = f"{program.name}(), transformed here, reads '{guard.shown}', which is changed"
            it.refuse(node, said, "pass it as an argument")
    paths = [*(h.path for h in program.hidden), *(g.path for g in program.guards)]
    read = {(p.kind, id(p.holder), *p.steps[0].key) for p in paths if p.steps}
    for at in it.captures.required.stored_names.values():
        cell = at.kind == "cell" and any(key[:2] == at.owner for key in read)
        if cell or (*at.owner, at.name) in read:
            said = f"{program.name}(), transformed here, reads '{at.name}', which is stored to"
            it.refuse(node, said, "pass it as an argument")


def captured_at(h: Hidden, program: Any) -> Path:
    """The place of a capture for the calling program: of the tensor itself, if it is one."""
    path = (h.tensor or h.path) if h.parameter is None else Path("parameter", h.parameter)
    return replace(path, within=("inlined", id(program), *path.within))


def propagate_requirements(
    it: Interpreter, required: Requirements, values: dict[tuple, Any], node: Node
) -> None:
    """Propagates the callee's static requirements to the caller."""
    for path, v in values.items():
        if path in required.static_leaves and isinstance(v, Var):
            it.captures.require_static(it, v, node, f"'{path[0]}'")
    for path, axis in required.static_dims:
        dim = getattr(getattr(values.get(path), "type", None), "dims", (None,) * (axis + 1))[axis]
        if isinstance(dim, Var):
            it.captures.require_static(it, dim, node, f"the shape of '{path[0]}'")


def _fitting(it: Interpreter, p: Var, v: Any) -> Any:
    v = atom(v)
    if isinstance(p.type, Scalar):
        return it.b.cast(v, p.type)
    if isinstance(p.type, Array) and not p.type.dims and isinstance(v.type, Scalar):
        return boxed(it, v, p.type)
    if isinstance(p.type, Array) and p.type.layout == "C" and v.type.layout != "C":
        return it.b.copy(v)
    return v


def likes_of(it: Interpreter, arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments of the same kinds as those of a call, in the caller's form."""
    return {n: mapped(v, lambda v: like(it, v), outside) for n, v in arguments.items()}


def like(it: Interpreter, v: Any) -> Any:
    """A value of the same kind as an IR value: tracing reads kinds only."""
    if not isinstance(v, Var | Const):
        return v
    t = v.type
    if isinstance(t, Array):
        # a length that may turn out to be 1 broadcasts then: 0 marks it (`Captures.parameter`)
        shape = tuple((2 if it.b.never_one(d) else 0) if isinstance(d, Var) else d for d in t.dims)
        made = np.zeros(shape, np_dtype(t.dtype))
        kind = kind_of(it, v)
        return next((made.view(m) for m, k in MARKS.items() if k is kind), made)
    if t.weak:
        return {"b": True, "i": 1, "f": 1.0, "c": 1j}[t.dtype[0]]
    return np_dtype(t.dtype).type(1)
