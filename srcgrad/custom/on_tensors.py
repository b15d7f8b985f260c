"""User-defined rules on eager tensors: one node of the tape, whose backward is the rule.

The node is placed between the value and its uses, like `attached` in compiled code:
values that the rule saves are recorded as usual, so that second derivatives have all their terms. A
rule has to meet the same conditions: one gradient for each argument, with its shape.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from srcgrad.eager import mode
from srcgrad.eager.apply import recording
from srcgrad.eager.engine import grad
from srcgrad.eager.function import Function
from srcgrad.eager.graph import Leaf
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import AutogradError
from srcgrad.tree import leaves, mapped, matched

Pull = Callable[[tuple, tuple], Sequence[Any]]
_local = threading.local()


def floats(value: Any) -> list[Any]:
    """The floating tensors in a structure, in order."""
    return [v for v in leaves(value) if isinstance(v, Tensor) and v._a.dtype.kind in "fc"]


def replaced(value: Any, new: Sequence[Any]) -> Any:
    """The structure with other floating tensors."""
    mine = iter(new)
    return mapped(value, lambda v: next(mine) if floats(v) else v)


class Attached(Function):
    """Values with a rule: the values, then its inputs, then its residuals."""

    # Function.forward takes any arguments; each subclass names its own
    @staticmethod
    def forward(ctx: Any, pull: Pull, name: str, many: tuple, *tensors: Any) -> Any:
        m, n = many
        out = [make(v._a.copy()) for v in tensors[:m]]
        ctx.pull, ctx.many, ctx.name = pull, (m, len(tensors) - m - n), name
        # a value that is saved is the result itself
        kept = [next((o for v, o in zip(tensors, out, strict=False) if t is v), t)
                for t in tensors[m + n :]]  # fmt: skip
        ctx.forms = [t._a.shape for t in tensors[m : m + n]]
        ctx.save_for_backward(*kept)
        return tuple(out)

    @staticmethod
    def backward(ctx: Any, *gs: Any) -> Any:
        m, rest = ctx.many
        made = list(ctx.pull(ctx.saved_tensors, gs))
        for k, (g, shape) in enumerate(zip(made, ctx.forms, strict=True)):
            if g is not None and tuple(np.shape(getattr(g, "_a", g))) != shape:
                raise AutogradError(
                    f"the rule of {ctx.name}() gives a gradient of shape "
                    f"{np.shape(getattr(g, '_a', g))} for an input of shape {shape}"
                )
            made[k] = g if g is None or isinstance(g, Tensor) else make(np.asarray(g))
        return (None, None, None, *[None] * m, *made, *[None] * rest)


def attach(value: Any, inputs: list, rest: list, name: str, pull: Pull) -> Any:
    """A structure of tensors with the derivative with respect to the inputs that `pull` gives."""
    values = floats(value)
    if not values or not recording():
        return value
    refuse_captured(value, inputs, name)
    plain = [v.detach() for v in values]
    kept = [next((p for v, p in zip(values, plain, strict=True) if t is v), t) for t in rest]
    return replaced(
        value, Attached.apply(pull, name, (len(plain), len(inputs)), *plain, *inputs, *kept)
    )


def refuse_captured(value: Any, inputs: list, name: str) -> None:
    """Refuses a value that depends on a leaf other than through given tensors."""
    stops = {id(t._node) for t in inputs if t._node is not None}
    todo = [v._node for v in floats(value) if v._node is not None]
    while todo:
        node = todo.pop()
        if id(node) in stops:
            continue
        stops.add(id(node))
        if isinstance(node, Leaf):
            raise AutogradError(
                f"{name}() depends on a tensor that requires grad and was not passed to it: its "
                "rule gives no derivative by it",
                None,
                "pass it as an argument that the rule gives a derivative by",
            )
        heads = node.next if node.many else (node.next,)
        todo += [n for n in heads if n is not None]


def _refused(name: str) -> Pull:
    def pull(kept: tuple, gs: tuple) -> Sequence[Any]:
        raise AutogradError(
            f"the derivative of {name}() inside of its own rule", None,
            "write the formula there, or keep the value itself for the rule",
        )  # fmt: skip

    return pull


@contextmanager
def _following(owner: Any) -> Iterator[None]:
    running = _local.__dict__.setdefault("running", [])
    running.append(owner)
    try:
        yield
    finally:
        running.pop()


def _is_followed(owner: Any) -> bool:
    return any(o is owner for o in getattr(_local, "running", ()))


def call(owner: Any, args: tuple) -> Any:
    """Calls a function with a rule that has tensors among its arguments."""
    static = owner.nondiff(len(args))
    if recording():  # new names, which show whether a tensor was passed or captured
        named = [t if t._node is None else t.view_as(t) for t in floats(args)]
        args = replaced(args, named)
    primals = tuple(a for k, a in enumerate(args) if k not in static)
    constants = tuple(args[k] for k in static)
    inputs = floats(primals)
    if _is_followed(owner):
        return attach(owner.function(*args), inputs, [], owner.__name__, _refused(owner.__name__))
    stated = _by_vjp if hasattr(owner, "bwd") else _by_jvp
    with _following(owner):
        return stated(owner, args, primals, constants, inputs)


def _by_vjp(owner: Any, args: tuple, primals: tuple, constants: tuple, inputs: list) -> Any:
    if owner.fwd is None:
        raise owner.without_rule()
    value, residuals = owner.fwd(*args)
    shape = mapped(value, lambda v: None if floats(v) else v)

    def pull(kept: tuple, gs: tuple) -> Sequence[Any]:
        given = replaced(value, gs) if floats(value) else shape
        made = owner.bwd(*constants, replaced(residuals, kept), given)
        if not isinstance(made, tuple | list) or len(made) != len(primals):
            raise AutogradError(
                f"the backward rule of {owner.__name__}() has to return a tuple of "
                f"{len(primals)} gradients"
            )
        return _matched(primals, made)

    return attach(value, inputs, floats(residuals), owner.__name__, pull)


def _matched(like: Any, given: Any) -> list:
    """One gradient, or None, for each floating tensor of a structure."""

    def refuse(path: tuple, given: Any, like: Any) -> None:
        raise AutogradError(f"a rule returned {type(given).__name__} for {type(like).__name__}")

    return [g for _, leaf, g in matched(like, given, refuse) if floats(leaf)]


def _by_jvp(owner: Any, args: tuple, primals: tuple, constants: tuple, inputs: list) -> Any:
    if owner.jvp is None:
        raise owner.without_rule()
    value = owner.function(*args)

    def stated(kept: tuple, gs: tuple) -> Sequence[Any]:
        given = replaced(value, gs)
        return _matched(primals, owner.pull(*constants, replaced(primals, kept), given))

    def pull(kept: tuple, gs: tuple) -> Sequence[Any]:
        again = recording()  # is this backward pass recorded itself?
        with mode.enable_grad():
            dots = [make(np.zeros_like(t._a)).requires_grad_() for t in kept]
            mine = iter(dots)
            tangents = tuple(
                mapped(p, lambda v: next(mine) if floats(v) else None) for p in primals
            )
            _, out = owner.jvp(*constants, replaced(primals, kept), tangents)
            pairs = [(o, g) for o, g in zip(_matched(value, out), gs, strict=True)
                     if isinstance(o, Tensor) and o._node is not None]  # fmt: skip
            if not pairs:
                return [None] * len(dots)
            outs, weights = zip(*pairs, strict=True)
            return grad(outs, dots, weights, create_graph=again, allow_unused=True)

    own = pull if owner.pull is None else stated
    return attach(value, inputs, inputs, owner.__name__, own)


def call_opaque(owner: Any, args: tuple) -> Any:
    """Calls an opaque function that has tensors among its arguments: it gets arrays."""
    inputs = floats(args)

    def arrays(v: Any) -> Any:
        return (
            v._a.copy() if isinstance(v, Tensor) else v.copy() if isinstance(v, np.ndarray) else v
        )

    def tensors(v: Any) -> Any:
        return make(np.asarray(v)) if isinstance(v, np.ndarray | np.generic | float) else v

    value = mapped(owner.function(*(mapped(a, arrays) for a in args)), tensors)

    def pull(kept: tuple, gs: tuple) -> Sequence[Any]:
        if owner.vjp is None or recording():
            what = f"{owner.__name__}()" if owner.vjp is None else f"the vjp of {owner.__name__}()"
            raise AutogradError(
                f"{what} is opaque: nothing is known of its derivative", None,
                "give flow.opaque a vjp=, or detach its arguments",
            )  # fmt: skip
        primals = tuple(mapped(a, arrays) for a in replaced(args, kept))
        g = mapped(replaced(value, gs), arrays)
        return _matched(args, owner.vjp(primals, g))

    return attach(value, inputs, inputs, owner.__name__, pull)
