"""Nodes that run the rules of a primitive: one class per primitive and kind of operands.

The small classes are the hot path: one tensor, at most one Python number, no broadcasting and no
change of dtype. `General` is any primitive on any operands. What a rule does not read is not kept;
what it reads is checked against its version. Writes no derivative.
"""

from __future__ import annotations

import functools
from typing import Any, ClassVar

import numpy as np

from srcgrad.eager.graph import Leaf, Node
from srcgrad.eager.rules import plain, product, reads, rule_for
from srcgrad.eager.tensor import Storage, Tensor, make
from srcgrad.errors import AutogradError, UnsupportedError
from srcgrad.primitives import arrays, elementwise, reductions
from srcgrad.primitives.registry import ZERO, Primitive

_ndarray = np.ndarray


def modified(node: Node, x: Any, version: int, saved: int) -> AutogradError:
    kind = {"f": "Float", "i": "Long", "b": "Bool"}.get(x.dtype.kind, "")
    return AutogradError(
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: [{kind}Tensor {list(x.shape)}], which is read by {node.label}, is at version "
        f"{version}; expected version {saved} instead."
    )


def rebuilt(a: Any, node: Node | None, store: Storage | None) -> Tensor:
    """The tensor that an operand was: the leaf itself if it is there, else one like it."""
    if type(node) is Leaf:
        tensor = node.tensor()
        if tensor is not None and tensor._a is a and tensor._node is node:
            return tensor
    t = make(a, node)
    t._store = store
    return t


class _Saved(Node):
    """What nodes made for a primitive share: the rules, as class attributes."""

    __slots__ = ()
    op: ClassVar[Primitive]
    rule: ClassVar[Any]  # on arrays
    rule_recorded: ClassVar[Any]  # on tensors
    singular: ClassVar[bool]


class OfInput(_Saved):
    """f(x), its partial read from x."""

    __slots__ = ("version", "x")
    x: Any
    version: int  # unset where the operand had no storage: 0

    def _operand(self, keep: bool) -> Tensor:
        x = self.x
        if x is None:
            raise self.released()
        s = x._store
        if s is not None:
            saved = getattr(self, "version", 0)
            if s.version != saved:
                raise modified(self, x._a, s.version, saved)
        if not keep:
            self.x = None
        return x

    def vjp(self, g: Any, keep: bool) -> Any:
        x = self.x
        if x is None or x._store is not None:
            x = self._operand(True)
        p = self.rule(None, x._a)
        if not keep:
            self.x = None
        if type(p) is _ndarray and not self.singular:
            return g * p
        return product(g, p, self.singular)

    def vjp_recorded(self, g: Any, keep: bool) -> Any:
        x = self._operand(keep)
        x = rebuilt(x._a, self.next, x._store)
        return plain(product(g, self.rule_recorded(None, x), self.singular))


class OfInputAndNumber(OfInput):
    """f(x, c) or f(c, x) with a Python number c, its partial read from x."""

    __slots__ = ("c",)
    c: Any
    first: ClassVar[bool]  # x is the first argument

    def vjp(self, g: Any, keep: bool) -> Any:
        a = self._operand(keep)._a
        p = self.rule(None, a, self.c) if self.first else self.rule(None, self.c, a)
        r = product(g, p, self.singular)
        return r if r.dtype is g.dtype else np.asarray(r, g.dtype)

    def vjp_recorded(self, g: Any, keep: bool) -> Any:
        x = self._operand(keep)
        x = rebuilt(x._a, self.next, x._store)
        rule = self.rule_recorded
        p = rule(None, x, self.c) if self.first else rule(None, self.c, x)
        return fitted(plain(product(g, p, self.singular)), x, recorded=True)


class OfResult(_Saved):
    """f(x), its partial read from the result."""

    __slots__ = ("out", "version", "y")
    y: Any
    out: Storage | None  # set by the tensor when it gets one
    version: int

    def _result(self, keep: bool) -> Any:
        y = self.y
        if y is None:
            raise self.released()
        if self.out is not None and self.out.version != self.version:
            raise modified(self, y, self.out.version, self.version)
        if not keep:
            self.y = None
        return y

    def vjp(self, g: Any, keep: bool) -> Any:
        return product(g, self.rule(self._result(keep), None), self.singular)

    def vjp_recorded(self, g: Any, keep: bool) -> Any:
        y = rebuilt(self._result(keep), self, self.out)
        return plain(product(g, self.rule_recorded(y, None), self.singular))


class Scaling(_Saved):
    """A sum or product with a Python number: the partial is a number, nothing is kept."""

    __slots__ = ("p",)
    p: Any

    def vjp(self, g: Any, keep: bool) -> Any:
        p = self.p
        return g if p == 1.0 else g * p

    vjp_recorded = vjp


class Pair(_Saved):
    """f(x, z) of two tensors of the same shape and dtype, a gradient wanted for either or both."""

    __slots__ = ("versions", "x", "z")
    many = True
    rules: ClassVar[tuple]
    rules_recorded: ClassVar[tuple]
    reads_x: ClassVar[tuple[bool, bool]]  # whether the rule for x, for z, reads x
    reads_z: ClassVar[tuple[bool, bool]]
    x: Any
    z: Any
    versions: tuple[int, int]

    def _operands(self, keep: bool) -> tuple:
        x, z = self.x, self.z
        if x is RELEASED:
            raise self.released()
        for operand, saved in ((x, self.versions[0]), (z, self.versions[1])):
            if operand is not None and (s := operand._store) is not None and s.version != saved:
                raise modified(self, operand._a, s.version, saved)
        if not keep and not (x is None and z is None):
            self.x = self.z = RELEASED
        return x, z

    def vjp(self, g: Any, keep: bool) -> Any:
        x, z = self._operands(keep)
        a, b = None if x is None else x._a, None if z is None else z._a
        one, other = self.next
        r0, r1 = self.rules
        return (
            None if one is None else product(g, r0(None, a, b), self.singular),
            None if other is None else product(g, r1(None, a, b), self.singular),
        )

    def vjp_recorded(self, g: Any, keep: bool) -> Any:
        x, z = self._operands(keep)
        one, other = self.next
        x = None if x is None else rebuilt(x._a, one, x._store)
        z = None if z is None else rebuilt(z._a, other, z._store)
        r0, r1 = self.rules_recorded
        return (
            None if one is None else plain(product(g, r0(None, x, z), self.singular)),
            None if other is None else plain(product(g, r1(None, x, z), self.singular)),
        )


RELEASED: Any = object()


class Shaped:
    """What is kept of an operand that no rule reads: enough to give a gradient its form."""

    __slots__ = ("dtype", "shape")

    def __init__(self, a: Any):
        self.shape, self.dtype = a.shape, a.dtype

    @property
    def ndim(self) -> int:
        return len(self.shape)


class General(_Saved):
    """Any primitive on any operands; contributions are given their operand's shape and dtype."""

    __slots__ = ("args", "out", "params", "versions", "y")
    plans: ClassVar[dict]
    many = True
    args: Any  # a Tensor that is read, a Shaped, or what is no tensor; None once released
    y: Any
    params: dict
    out: Storage | None
    versions: dict[int, int] | None  # of the operands that had a storage; others: 0

    def record(self, heads: tuple, args: tuple, params: dict, y: Any) -> None:
        """Keeps what the rules of the wanted gradients read."""
        op = self.op
        self.next, self.params = heads, params
        pattern: Any = tuple([h is not None for h in heads])
        if params and op.kind == "derive":
            pattern = pattern, tuple(sorted(params.items()))
        read = self.plans.get(pattern)
        if read is None:
            read = self.plans[pattern] = self._plan(pattern, heads)
        kept, versions = [], None
        for wanted, a in zip(read, args, strict=False):
            if not isinstance(a, Tensor):
                kept.append(a)
            elif not wanted:
                kept.append(Shaped(a._a))
            else:
                kept.append(a)
                if a._store is not None:
                    versions = versions or {}
                    versions[len(kept) - 1] = a._store.version
        self.args, self.versions, self.out = kept, versions, None
        self.y = y if read[-1] else Shaped(y)

    @classmethod
    def _plan(cls, pattern: Any, heads: tuple) -> tuple[bool, ...]:
        """Which operands, and last whether the result, the wanted gradients' rules read."""
        key = pattern[1] if isinstance(pattern[0], tuple) else ()
        found: set = set()
        for k, head in enumerate(heads):
            if head is not None:
                found |= reads(cls.op, k, len(heads), key)
        return (*(k in found for k in range(len(heads))), "y" in found)

    def _operands(self, keep: bool) -> tuple:
        args, y = self.args, self.y
        if args is None:
            raise self.released()
        for k, a in enumerate(args):
            s = a._store if isinstance(a, Tensor) else None
            if s is not None:
                saved = (self.versions or {}).get(k, 0)
                if s.version != saved:
                    raise modified(self, a._a, s.version, saved)
        if self.out is not None and self.out.version and type(y) is _ndarray:
            raise modified(self, y, self.out.version, 0)
        if not keep and (type(y) is _ndarray or any(isinstance(a, Tensor) for a in args)):
            self.args = self.y = None
        return args, y

    def vjp(self, g: Any, keep: bool) -> Any:
        args, y = self._operands(keep)
        raw = [a._a if isinstance(a, Tensor) else a for a in args]
        return self._contributions(g, y, raw, "arrays")

    def vjp_recorded(self, g: Any, keep: bool) -> Any:
        args, y = self._operands(keep)
        if type(y) is _ndarray:
            y = rebuilt(y, self, self.out)
        tensors = [
            rebuilt(a._a, n, a._store) if isinstance(a, Tensor) else a
            for a, n in zip(args, self.next, strict=True)
        ]
        return self._contributions(g, y, tensors, "tensors")

    def _contributions(self, g: Any, y: Any, args: list, on: str) -> list:
        op, params, made = self.op, self.params, []
        for k, head in enumerate(self.next):
            if head is None:
                made.append(None)
                continue
            rule = rule_for(op, k, on)
            if rule is None:
                raise UnsupportedError(f"{op.name} has no derivative here")
            if rule is ZERO:
                c: Any = 0.0
            elif op.kind == "derive":
                c = product(g, rule(y, *args, **params), op.singular)
            else:
                c = rule(g, y, *args, **params)
            made.append(fitted(plain(c), args[k], on == "tensors"))
        return made


def fitted(c: Any, like: Any, recorded: bool) -> Any:
    """A contribution with its operand's shape and dtype: undoes broadcasting and promotion."""
    shape = tuple(like.shape)
    target = like._a.dtype if isinstance(like, Tensor) else like.dtype
    if type(c) is float or type(c) is int:
        full = np.full(shape, c, target)
        return make(full) if recorded else full
    if tuple(c.shape) != shape:
        c = _spread(c, shape)
    if recorded:
        return c if c._a.dtype == target else elementwise.cast(c, dtype=target.name)
    return c if c.dtype == target else np.asarray(c).astype(target)


def _spread(c: Any, shape: tuple) -> Any:
    """Summed to a smaller shape; a scalar stands for an array filled with it."""
    if len(c.shape) < len(shape):
        return arrays.broadcast_to(c, *shape)
    return reductions.sum_to(c, *shape)


# ---- one class per primitive and kind ----
def _label(op: Primitive) -> str:
    return "".join(part.capitalize() for part in op.name.split("_")) + "Backward0"


def _made(kind: type, op: Primitive, k: int | None = None, **more: Any) -> Any:
    members: dict[str, Any] = {
        "__slots__": (), "op": op, "singular": op.singular, "label": _label(op), **more,
    }  # fmt: skip
    if k is not None:
        on_arrays: Any = rule_for(op, k, "arrays")
        on_tensors: Any = rule_for(op, k, "tensors")
        members["rule"], members["rule_recorded"] = (
            staticmethod(on_arrays),
            staticmethod(on_tensors),
        )
    return type(_label(op), (kind,), members)


class _General(dict):
    """The general node class of each primitive; None if it is said to have no derivative."""

    def __missing__(self, op: Primitive) -> Any:
        constant = op.kind == "nondiff" and (not op.flat or op is elementwise.stop_gradient)
        self[op] = made = None if constant else _made(General, op, plans={})
        return made


GENERAL = _General()


@functools.cache
def unary(op: Primitive) -> Any:
    """The node class of f(x); None if only the general one will do."""
    if op.kind != "derive" or len(op.rules) != 1:
        return None
    match sorted(map(str, reads(op, 0, 1, ()))):
        case []:
            p = rule_for(op, 0, "arrays")(None, None)  # type: ignore[misc]
            return _made(Scaling, op, constant=p)
        case ["0"]:
            return _made(OfInput, op, 0)
        case ["y"]:
            return _made(OfResult, op, 0)
    return None


@functools.cache
def with_number(op: Primitive, k: int) -> Any:
    """The node class of f(x, c), k = 0, or f(c, x), k = 1; None: the general one."""
    needs = reads(op, k, 2, ())
    if needs <= {1 - k}:
        return _made(Scaling, op, k)
    if "y" not in needs:
        return _made(OfInputAndNumber, op, k, first=k == 0)
    return None


@functools.cache
def pair(op: Primitive) -> Any:
    """The node class of f(x, z) of like tensors; None: the general one."""
    needs = [reads(op, k, 2, ()) for k in (0, 1)]
    if any("y" in n for n in needs) or any(rule_for(op, k, "arrays") is ZERO for k in (0, 1)):
        return None
    return _made(
        Pair, op,
        rules=(rule_for(op, 0, "arrays"), rule_for(op, 1, "arrays")),
        rules_recorded=(rule_for(op, 0, "tensors"), rule_for(op, 1, "tensors")),
        reads_x=tuple(0 in n for n in needs), reads_z=tuple(1 in n for n in needs),
    )  # fmt: skip


def _power() -> Any:
    on_arrays: Any = rule_for(elementwise.powi, 0, "arrays")
    on_tensors: Any = rule_for(elementwise.powi, 0, "tensors")
    return _made(
        OfInputAndNumber, elementwise.powi, first=True, label="PowBackward0",
        rule=staticmethod(lambda y, a, n: on_arrays(y, a, n=n)),
        rule_recorded=staticmethod(lambda y, a, n: on_tensors(y, a, n=n)),
    )  # fmt: skip


POWER = _power()  # x ** n with an integer n other than 0 and 1
