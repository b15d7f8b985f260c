"""Evaluates a primitive on tensors and records a node where a gradient is wanted.

`unary` and `binary` make the hot functions: one closure per primitive, nothing looked up by name.
`apply` is any primitive on any operands. Promotion and NumPy's errors are settled here; nothing
here knows a derivative or the engine.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager import classes, dtypes, mode, nodes
from srcgrad.eager.graph import level_above
from srcgrad.eager.rules import Select, plain
from srcgrad.eager.tensor import Storage, Tensor, make, storage
from srcgrad.errors import TensorError, TensorTypeError, UnsupportedError
from srcgrad.primitives import elementwise
from srcgrad.primitives.registry import Primitive

_new = object.__new__
_OFF = mode.OFF
_ndarray = np.ndarray
_NUMBERS = (int, float, bool, complex)


class Unsuitable(Exception):
    """An operand that no tensor function takes; an operator answers NotImplemented."""


def recording() -> bool:
    """Whether this thread records: cheap where no thread has switched it off."""
    return not _OFF or mode.is_grad_enabled()


# ---- operands ----
def operand(x: Any) -> Any:
    """A tensor or a Python number; arrays become tensors, NumPy's scalars numbers."""
    if isinstance(x, Tensor) or type(x) in _NUMBERS:
        return x
    if isinstance(x, np.ndarray):
        return make(x)
    if isinstance(x, np.generic):
        return x.item()
    if type(x) is Select:
        return operand(x.value())
    kind: Any
    for kind in _NUMBERS:
        if isinstance(x, kind):
            return kind(x)
    raise Unsuitable(type(x).__name__)


def as_tensor_operand(x: Any, name: str) -> Tensor:
    """The tensor that a function was given; TypeError if it is none."""
    if isinstance(x, Tensor):
        return x
    if isinstance(x, np.ndarray):
        return make(x)
    kind = type(x).__name__
    raise TensorTypeError(f"{name}(): argument 'input' must be Tensor, not {kind}")


# ---- any primitive ----
def apply(op: Primitive, args: tuple, params: dict) -> Any:
    """The primitive's value on tensors and numbers, recorded if a gradient is wanted."""
    raw = []
    for a in args:
        if isinstance(a, Tensor):
            raw.append(a._a)
        elif type(a) is Select:
            return apply(op, tuple(plain(b) for b in args), params)
        else:
            raw.append(a)
    if op.elementwise and op.kind != "nondiff" and len(raw) > 1:
        raw = _promoted(op, raw)
    try:
        y = op.impl(*raw, **params)
    except (ValueError, TypeError) as error:
        raise reworded(error, raw) from None
    return recorded(op, args, params, y)


def recorded(op: Primitive, args: tuple, params: dict, y: Any) -> Tensor:
    """The tensor over the value `y` of a primitive, with its node if a gradient is wanted."""
    if type(y) is not _ndarray:
        y = np.asarray(y)
    heads = tuple([a._node if isinstance(a, Tensor) else None for a in args])
    if not any(heads) or (_OFF and not mode.is_grad_enabled()):
        return make(y)
    kind = classes.GENERAL[op]
    if kind is None or y.dtype.kind not in "fc":
        return make(y)
    if y.dtype.kind == "c":
        raise UnsupportedError(
            f"{op.name} of a tensor that requires grad gives complex numbers, which have no "
            "gradient here",
            way_out="compute with real and imaginary parts as two tensors, or detach first",
        )
    node = kind()
    node.level = level_above(heads)
    node.record(heads, args, params, y)
    if _OFF and (watcher := mode.watcher()) is not None:
        watcher.made(node)
    return make(y, node)


def _promoted(op: Primitive, raw: list) -> list:
    """The operands in the dtype that the operation is done in; numbers stay weak."""
    start = 1 if op.name == "where" else 0
    joined = raw[start:]
    if not any(isinstance(a, _ndarray) for a in joined):
        return raw
    target = dtypes.promoted([_number(a) for a in joined])
    return raw[:start] + [
        a.astype(target) if isinstance(a, _ndarray) and a.dtype != target else
        target.type(a) if not isinstance(a, _ndarray) and start else a
        for a in joined
    ]  # fmt: skip


def _number(a: Any) -> Any:
    return a.item() if isinstance(a, np.generic) else a


def reworded(error: Exception, raw: list) -> Exception:
    """NumPy's complaint about shapes as PyTorch words it; any other as it is."""
    if isinstance(error, TypeError):
        if "boolean" in str(error):
            return TensorError(str(error))
        return UnsupportedError(str(error))
    shapes = [a.shape for a in raw if isinstance(a, _ndarray)]
    for one, other in itertools.pairwise(shapes):
        n = max(len(one), len(other))
        a, b = (1,) * (n - len(one)) + one, (1,) * (n - len(other)) + other
        for k in reversed(range(n)):
            if a[k] != b[k] and 1 not in (a[k], b[k]):
                return TensorError(
                    f"The size of tensor a ({a[k]}) must match the size of tensor b ({b[k]}) "
                    f"at non-singleton dimension {k}"
                )
    return TensorError(str(error))


# ---- functions of one tensor ----
def unary(op: Primitive, name: str = "", exact: bool = False) -> Callable[[Any], Tensor]:
    """The tensor function of an elementwise primitive of one argument.

    Integers become the default dtype unless `exact`: the function keeps them (abs, neg, sign).
    """
    impl, kind, name = op.impl, classes.unary(op), name or op.name
    saves_input = kind is not None and issubclass(kind, nodes.OfInput)
    saves_result = kind is not None and issubclass(kind, nodes.OfResult)
    p = getattr(kind, "constant", None)

    def function(input: Any) -> Tensor:
        try:
            head = input._node
        except AttributeError:
            input = as_tensor_operand(input, name)
            head = input._node
        if head is None or kind is None or (_OFF and not mode.is_plain()):
            return slow(input)
        y = impl(input._a)
        if type(y) is not _ndarray:
            y = np.asarray(y)
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
    return function


# ---- functions of two ----
def binary(op: Primitive, name: str = "", operator: bool = False) -> Callable[[Any, Any], Tensor]:
    """The tensor function of an elementwise primitive of two arguments, numbers among them.

    As an `operator` it answers NotImplemented for an operand that no tensor function takes.
    """
    impl, name = op.impl, name or op.name
    differentiable = op.kind == "derive"
    left = classes.with_number(op, 0) if differentiable else None
    right = classes.with_number(op, 1) if differentiable else None
    both = classes.pair(op) if differentiable else None
    divides = op is elementwise.div
    slow = _slow_binary(op, name, operator)
    left_scale, right_scale = (
        kind.rule if kind is not None and kind.__base__ is nodes.Scaling else None
        for kind in (left, right)
    )

    def function(input: Any, other: Any) -> Tensor:
        number = type(other)
        if number is float or number is int:
            try:
                head = input._node
            except AttributeError:
                return slow(input, other)
            if head is None or left is None or (_OFF and not mode.is_plain()):
                return slow(input, other)
            x, c, kind = input, other, left
            y = impl(x._a, c)
            if divides and not c:
                return slow(input, other)  # 1 / 0 of Python's numbers would raise
            p = left_scale and left_scale(None, None, c)
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
            y = np.asarray(y)
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
        y = impl(a, b)
        if type(y) is not _ndarray:
            y = np.asarray(y)
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
    return function


def _slow_binary(op: Primitive, name: str, operator: bool) -> Callable[[Any, Any], Any]:
    divides = op is elementwise.div

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
        if divides and target.kind in "biu":
            target = dtypes.get_default_dtype().np
        raw = [np.asarray(a, target) for a in raw]
        try:
            y = op.impl(*raw)
        except (ValueError, TypeError) as error:
            raise reworded(error, raw) from None
        return recorded(op, (x, z), {}, y)

    return slow


# ---- views ----
def viewed(op: Primitive, x: Tensor, args: tuple, params: dict) -> Tensor:
    """The value of a primitive that is a view of `x`'s array, known to share its memory."""
    t = apply(op, (x, *args), params)
    mark_view(t, x, (op, args, params))
    return t


def mark_view(t: Tensor, x: Tensor, step: tuple) -> None:
    """Remembers that `t` shows the memory of `x`, and how."""
    s: Storage = storage(x)
    base, steps = getattr(x, "_view", None) or (x, ())
    t._store, t._view = s, (base, (*steps, step))
    s.views.append(weakref.ref(t))
    if len(s.views) & (len(s.views) - 1) == 0:  # at each power of two: drop those that are gone
        s.views[:] = [r for r in s.views if r() is not None]


def _apply_primitive(self: Tensor, op: Primitive, args: tuple, params: dict) -> Any:
    if op.elementwise and len(args) == 2 and op.kind == "derive":
        return _BINARY[op](*args)
    return apply(op, args, params)


class _Functions(dict):
    def __missing__(self, op: Primitive) -> Callable:
        self[op] = f = binary(op)
        return f


_BINARY = _Functions()
Tensor.apply_primitive = _apply_primitive  # type: ignore[attr-defined]
