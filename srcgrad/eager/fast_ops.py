"""The hot functions: one closure per elementwise primitive, nothing looked up by name.

Each handles the common operands (a tensor, a tensor and a number, two tensors of one shape and
dtype) in a few lines and leaves the rest to `apply`. Knows no derivative and no engine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager import devices, dtypes, mode, node_kinds, nodes
from srcgrad.eager.apply import Unsuitable, apply, as_tensor_operand, operand, recorded, reworded
from srcgrad.eager.constants import F32, F64, IN_F32, IN_F64, constant
from srcgrad.eager.tensor import Tensor
from srcgrad.errors import TensorError, TensorTypeError
from srcgrad.primitives import elementwise, numpy_fast_paths
from srcgrad.primitives.registry import Primitive
from srcgrad.tracebacks import is_entrance, shorten

_new = object.__new__
_OFF = mode.OFF
_ndarray = np.ndarray
# the functions made here, their primitives, and whether integers stay integers
MADE: list[tuple[Callable, Primitive, bool]] = []


# ---- functions of one tensor ----
def unary(op: Primitive, name: str = "", exact: bool = False) -> Callable[[Any], Tensor]:
    """The tensor function of an elementwise primitive of one argument.

    Integers become the default dtype unless `exact`: the function keeps them (abs, neg, sign).
    """
    impl, kind, name = op.impl, node_kinds.unary(op), name or op.name
    saves_input = kind is not None and issubclass(kind, nodes.OfInput)
    saves_result = kind is not None and issubclass(kind, nodes.OfResult)
    p = getattr(kind, "constant", None)

    @is_entrance
    def function(input: Any) -> Tensor:
        try:
            try:
                head = input._node
            except AttributeError:
                input = as_tensor_operand(input, name)
                head = input._node
            if head is None or kind is None or (_OFF and not mode.is_plain()):
                return slow(input)
            y = impl(input._a)
            if type(y) is not _ndarray:
                y = devices.array_of(y)
            node: Any = kind()
            node.level = head.level + 1
            node.next = head
            if saves_input:
                node.x = input
                if input._store is not None:
                    node.version = input._store.version
            elif saves_result:
                node.y, node.out, node.version = y, None, 0
            else:
                node.p = p
            t = _new(Tensor)
            t._a = y
            t._node = node
            t._store = None
            return t
        except BaseException as error:
            shorten(error)
            raise

    def slow(x: Tensor) -> Tensor:
        a = x._a
        if a.dtype.kind in "biu" and not exact:
            a = a.astype(dtypes.get_default_dtype().np)
        try:
            y = impl(a)
        except TypeError as error:
            raise reworded(error, [a]) from None
        return recorded(op, (x,), {}, y)

    function.__name__ = function.__qualname__ = name
    MADE.append((function, op, exact))
    return function


# ---- functions of two ----
# for integers they are computed in the default dtype
_FLOATING = (
    elementwise.div, elementwise.arctan2, elementwise.copysign, elementwise.hypot,
    elementwise.logaddexp,
)  # fmt: skip


def binary(op: Primitive, name: str = "", operator: bool = False) -> Callable[[Any, Any], Tensor]:
    """The tensor function of an elementwise primitive of two arguments, numbers among them.

    As an `operator` it returns NotImplemented for an operand that no tensor function accepts.
    """
    impl, name = op.impl, name or op.name
    differentiable = op.kind == "derive"
    left = node_kinds.with_number(op, 0) if differentiable else None
    right = node_kinds.with_number(op, 1) if differentiable else None
    both = node_kinds.pair(op) if differentiable else None
    divides = op is elementwise.div
    slow = _slow_binary(op, name, operator)
    left_passes = left is not None and getattr(left, "passes", False)
    left_scale, right_scale = (
        kind.rule if kind is not None and kind.__base__ is nodes.Scaling else None
        for kind in (left, right)
    )

    @is_entrance
    def function(input: Any, other: Any) -> Tensor:
        try:
            number = type(other)
            if number is float or number is int:
                try:
                    head = input._node
                except AttributeError:
                    return slow(input, other)
                if head is None or left is None or (_OFF and not mode.is_plain()):
                    return slow(input, other)
                a = input._a
                if left_scale is None:
                    x, c, kind, p = input, other, left, None
                    y = impl(a, c)
                else:
                    if divides and not other:
                        return slow(input, other)  # 1 / 0 of Python's numbers would raise
                    d = a.dtype
                    c = IN_F64.get(other) if d is F64 else IN_F32.get(other) if d is F32 else None
                    if c is None:
                        c = constant(other, d)
                    try:
                        y = impl(a, c)
                    except TypeError:  # beside an array of a device numbers have no array
                        return slow(input, other)
                    p = c if left_passes else left_scale(None, None, other)
                    kind = left
            else:
                number = type(input)
                if number is float or number is int:
                    try:
                        head = other._node
                    except AttributeError:
                        return slow(input, other)
                    if head is None or right is None or (_OFF and not mode.is_plain()):
                        return slow(input, other)
                    x, c, kind = other, input, right
                    y = impl(c, x._a)
                    p = right_scale and right_scale(None, c, None)
                else:
                    return two(input, other)
            if type(y) is not _ndarray:
                y = devices.array_of(y)
            node = kind()
            node.level = head.level + 1
            node.next = head
            if p is not None:
                node.p = p
            else:
                node.x, node.c = x, c
                if x._store is not None:
                    node.version = x._store.version
            t = _new(Tensor)
            t._a = y
            t._node = node
            t._store = None
            return t
        except BaseException as error:
            shorten(error)
            raise

    def two(x: Any, z: Any) -> Tensor:
        try:
            a, b, one, other = x._a, z._a, x._node, z._node
        except AttributeError:
            return slow(x, z)
        if (
            both is None or a.dtype is not b.dtype or a.shape != b.shape
            or (one is None and other is None) or (_OFF and not mode.is_plain())
        ):  # fmt: skip
            return slow(x, z)
        try:
            y = impl(a, b)
        except TypeError:  # on two devices, which numbers may be
            return slow(x, z)
        if type(y) is not _ndarray:
            y = devices.array_of(y)
        node = both()
        node.next = one, other
        if one is None:
            node.level = other.level + 1
        elif other is None or one.level >= other.level:
            node.level = one.level + 1
        else:
            node.level = other.level + 1
        (x0, x1), (z0, z1) = both.reads_x, both.reads_z
        node.x = x if (x0 and one is not None) or (x1 and other is not None) else None
        node.z = z if (z0 and one is not None) or (z1 and other is not None) else None
        s, r = x._store, z._store
        node.versions = 0 if s is None else s.version, 0 if r is None else r.version
        t = _new(Tensor)
        t._a = y
        t._node = node
        t._store = None
        return t

    function.__name__ = function.__qualname__ = name
    MADE.append((function, op, op not in _FLOATING))
    return function


def _slow_binary(op: Primitive, name: str, operator: bool) -> Callable[[Any, Any], Any]:
    floating = op in _FLOATING
    whole = op in (elementwise.floordiv, elementwise.mod, elementwise.fmod)

    def slow(x: Any, z: Any) -> Any:
        try:
            x, z = operand(x), operand(z)
        except Unsuitable as kind:
            if operator:
                return NotImplemented
            raise TensorTypeError(f"{name}(): an argument must be a Tensor, not {kind}") from None
        if not isinstance(x, Tensor) and not isinstance(z, Tensor):
            raise TensorTypeError(f"{name}(): expected a Tensor among its arguments")
        raw = [a._a if isinstance(a, Tensor) else a for a in (x, z)]
        target = dtypes.promoted(raw)
        if floating and target.kind in "biu":
            target = dtypes.get_default_dtype().np
        try:
            raw = [np.asarray(a, target) for a in raw]
        except TypeError:  # on a device: arrays there never become NumPy's
            raw = devices.alike(raw, target)
        if whole and target.kind in "iu" and not raw[1].all():
            raise TensorError("ZeroDivisionError: an integer divided by zero")
        try:
            y = numpy_fast_paths.of_rows(op.impl, *raw)
        except (ValueError, TypeError) as error:
            raise reworded(error, raw) from None
        return recorded(op, (x, z), {}, y)

    return slow


# ---- operators within rules ----
def _apply_primitive(self: Tensor, op: Primitive, args: tuple, params: dict) -> Any:
    if op.elementwise and len(args) == 2 and op.kind == "derive":
        return _BINARY[op](*args)
    return apply(op, args, params)


class _Functions(dict):
    def __missing__(self, op: Primitive) -> Callable:
        self[op] = f = binary(op)
        return f


_BINARY = _Functions()
Tensor.apply_primitive = _apply_primitive
