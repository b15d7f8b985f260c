"""Subscripts: loads, views, gathers on the right; stores, assignments, scatters on the left.

Basic indices become views, integer arrays and masks gathers, as in NumPy. Out-of-range
indices are checked by `index` primitives; a later pass removes those it can prove.
"""

from __future__ import annotations

import enum
from typing import Any

import gast
import numpy as np

from srcgrad.frontend import tracked_dicts
from srcgrad.frontend.derived_instances import places_in
from srcgrad.frontend.formulas.registry import INSTANCES
from srcgrad.frontend.handlers.registry import METHODS, handler_of
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.iteration import iterated, length_of
from srcgrad.frontend.kinds import Kind, follows_library, kind_of
from srcgrad.frontend.maybe_none import as_index, present
from srcgrad.frontend.narrowing import by_kind
from srcgrad.frontend.slices import span
from srcgrad.frontend.special_methods import asked
from srcgrad.frontend.texts import literal
from srcgrad.frontend.values import (
    GrownList,
    Range,
    Record,
    Slice,
    describe,
    is_array,
    is_integer,
    is_scalar,
    is_unit,
    plain,
)
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import Scalar, same_dims
from srcgrad.protocols import takes_parameters


def subscripted(x: Any) -> Any:
    """The handler of an object that is not a container: np.r_ and similar ones."""
    kind = "class" if takes_parameters(x) else type(x).__name__
    return METHODS.get((kind, "__getitem__"))


def of_subscript(it: Interpreter, node: gast.Subscript) -> Any:
    x = it.operand(node.value)
    return subscript(it, x, items_of(it, x, node.slice), node)


def items_of(it: Interpreter, x: Any, node: Node) -> list[Any]:
    """The parts of a subscript of `x`; the key of a dict is one."""
    one = isinstance(x, dict) or (isinstance(x, Record) and x.cls in INSTANCES)
    return [it.expression(node)] if one and type(node) is not gast.Slice else index_items(it, node)


def index_items(it: Interpreter, node: Node) -> list[Any]:
    nodes = node.elts if isinstance(node, gast.Tuple) else [node]
    if not isinstance(node, gast.Tuple):
        item = _index_item(it, node)
        return list(item) if isinstance(item, tuple) else [item]
    items: list[Any] = []
    for n in nodes:
        starred = isinstance(n, gast.Starred)
        items += it.static_items(it.expression(n.value), n) if starred else [_index_item(it, n)]
    return items


def _index_item(it: Interpreter, n: Any) -> Any:
    if isinstance(n, gast.Slice):
        parts = (n.lower, n.upper, n.step)
        return Slice(*(None if p is None else it.operand(p) for p in parts))
    return it.operand(n)


# ---- reading ----
def subscript(it: Interpreter, x: Any, items: list[Any], node: Node) -> Any:
    return _subscript(it, node, x, *items)


@by_kind
def _subscript(it: Interpreter, node: Node, x: Any, *places: Any) -> Any:
    x = present(it, x, lambda: "'NoneType' object is not subscriptable")
    items = [as_index(it, i, node) for i in places_in(it, x, places, node)]
    if is_array(x):
        return it.read(x, items, node)
    if isinstance(x, GrownList):
        return it.grown_item(x, items[0], node)
    if isinstance(x, tuple | list | str):
        if len(items) == 1 and isinstance(items[0], Slice | slice):
            return _slice_of_sequence(it, x, items[0], node)
        if (found := it.item_of_the_run(x, items, node)) is not None:
            return found
        return x[it.list_place(x, items, node)]
    if isinstance(x, dict):
        return tracked_dicts.item(it, x, items[0], node)
    own = asked(it, x, "__getitem__", [key_of(items)], node)
    if own is not NotImplemented:
        return own
    if isinstance(x, Range | range):
        return _index_of_range(it, x, items, node)
    if is_scalar(x):
        if x.type.weak if isinstance(x, Var) else not isinstance(x, np.generic):
            it.wrong(node, "a number cannot be indexed", TypeError)
        return _index_of_scalar(it, x, items, node)
    handler = subscripted(x)
    if handler is not None:
        return handler(it, node, x, *items)
    if isinstance(x, enum.EnumMeta):
        name = it.static_key(items[0], node)
        if name not in x.__members__:
            it.fail("KeyError", literal(repr(name)))
        return x.__members__[name]
    parts = it.parts_of(x, node)
    if parts is not None:
        return subscript(it, parts, items, node)
    handler = None if callable(x) else handler_of(x)
    if handler is not None:  # np.mgrid and others that are written with brackets
        return handler(it, node, *items)
    if isinstance(x, bytes | bytearray | memoryview):
        value = node.value if isinstance(node, gast.Subscript) else None
        name = value.id if isinstance(value, gast.Name) else "..."
        it.refuse(
            node, f"'{name}' is {describe(x)}, which is not supported",
            f"pass an array: np.frombuffer({name}, np.uint8)",
        )  # fmt: skip
    if x is None:
        it.wrong(node, "None cannot be indexed", TypeError)
    it.refuse(node, f"{describe(x)} cannot be indexed", like=TypeError)


def key_of(items: list[Any]) -> Any:
    """The argument of `__getitem__` for the parts of a subscript."""
    return items[0] if len(items) == 1 else tuple(items)


def _slice_of_sequence(it: Interpreter, x: Any, item: Any, node: Node) -> Any:
    of_list = isinstance(x, list) and isinstance(item, Slice)
    if of_list and (taken := it.slice_of_the_run(x, item, node)) is not None:
        return taken
    part = x[static_slice(it, item, node)]
    return it.tracked_list(part, node) if isinstance(x, list) else part


def static_slice(it: Interpreter, item: Slice | slice, node: Node) -> slice:
    """A slice of a list or tuple, whose bounds must be known."""
    parts = [getattr(item, f, None) for f in ("lower", "upper", "step")]
    if isinstance(item, slice):
        parts = [item.start, item.stop, item.step]
    bounds = [None if p is None else it.static_int(p, node, "a bound of a slice") for p in parts]
    if bounds[2] == 0:
        it.refuse(node, "slice step cannot be zero", like=ValueError)
    return slice(*bounds)


def _index_of_range(it: Interpreter, r: Range | range, items: list[Any], node: Node) -> Any:
    """An item of a range, or the range that a slice of it is."""
    item, b = items[0], it.b
    if len(items) != 1 or not (is_integer(item) or isinstance(item, Slice)):
        it.refuse(node, "range indices must be integers or slices", like=TypeError)
    n = length_of(it, iterated(it, r, node))

    def at(k: Any) -> Any:
        return plain(b.add(r.start, b.mul(k, r.step)))

    if isinstance(item, Slice):
        start, count, step = span(it, item, n, node)
        last = b.add(start, b.mul(count, step))
        return Range(at(start), at(last), plain(b.mul(r.step, step)))
    place = plain(b.where(b.lt(item, 0), b.add(item, n), item))
    wrong = plain(it.b.logical_or(b.lt(place, 0), b.ge(place, n)))
    it.fail_if(wrong, "IndexError", "range object index out of range")
    return at(place)


def _index_of_scalar(it: Interpreter, x: Any, items: list[Any], node: Node) -> Any:
    """A NumPy scalar takes [()], [...], [None] and a boolean."""
    if len(items) == 1 and is_scalar(items[0]) and atom(items[0]).type.dtype == "bool":
        one, mask = (it.call_numpy(np.atleast_1d, [v], {}, node) for v in (x, items[0]))
        return subscript(it, one, [mask], node)
    if all(i is Ellipsis or i is None for i in items) and items.count(Ellipsis) < 2:
        new = items.count(None)
        return it.b.broadcast_to(x, *([1] * new)) if new else x
    it.wrong(node, "a number cannot be indexed", IndexError)


def with_mask(it: Interpreter, x: Var, items: list[Any], node: Node) -> tuple[Var, list[Any]]:
    """An array and its index, in which a boolean scalar is the mask of a new first axis."""
    first, *rest = items or [None]
    if (
        not (is_scalar(first) or is_array(first))
        or atom(first).type.dtype != "bool"
        or _rank(first)
        or rest
    ):
        return x, items
    mask = it.call_numpy(np.atleast_1d, [first], {}, node)
    return view(it, x, [None, *[Slice(None, None, None)] * x.type.ndim], node), [mask]


def _rank(v: Any) -> int:
    return v.type.ndim if is_array(v) else 0


def read(it: Interpreter, x: Var, items: list[Any], node: Node) -> Any:
    x, items = with_mask(it, x, items, node)
    referring = any(i is Ellipsis for i in items)  # x[0, ...] is a view
    items = expanded(it, x, items, node)
    if any(is_array(i) for i in items):
        base, idx, spec = gathered(it, x, items, node)
        return plain(it.b.gather(base, *idx, spec=spec))
    if all(is_integer(i) for i in items) and not referring:
        return plain(it.b.load(x, *places(it, x, items)))
    return view(it, x, items, node)


def expanded(it: Interpreter, x: Var, items: list[Any], node: Node) -> list[Any]:
    """One item per axis: the ellipsis and missing axes filled in, 0-d arrays loaded."""
    items = [_index_value(it, i, node) for i in items]
    if sum(i is Ellipsis for i in items) > 1:
        it.refuse(node, "an index can only have a single ellipsis ('...')", like=IndexError)
    used = sum(_axes_of(i) for i in items if i is not Ellipsis and i is not None)
    missing = x.type.ndim - used
    if missing < 0:
        it.wrong(
            node,
            f"too many indices: the array is {x.type.ndim}-dimensional, but {used} were indexed",
            IndexError,
        )
    whole = [Slice(None, None, None)] * missing
    if any(i is Ellipsis for i in items):
        k = next(k for k, i in enumerate(items) if i is Ellipsis)
        return [*items[:k], *whole, *items[k + 1 :]]
    return [*items, *whole]


def _index_value(it: Interpreter, i: Any, node: Node) -> Any:
    if i is None or i is Ellipsis or isinstance(i, Slice) or is_integer(i):
        return i
    if isinstance(i, list | tuple | GrownList):
        empty = isinstance(i, list | tuple) and not i
        i = it.call_numpy(np.array, [i], {"dtype": np.intp} if empty else {}, node)
    if isinstance(i, Range | range):
        i = it.call_numpy(np.arange, [i.start, i.stop, i.step], {}, node)
    if isinstance(i, slice):
        return Slice(i.start, i.stop, i.step)
    if is_array(i) and i.type.dtype[0] in "iub":
        return i if i.type.dims else it.b.load(i)
    if is_scalar(i) and atom(i).type.dtype == "bool":
        it.refuse(node, "a boolean scalar as an index is not supported", "use np.where")
    it.refuse(
        node,
        f"{describe(i)} cannot be an index",
        "indices are integers, slices, masks, int arrays",
        like=IndexError,
    )


def place(it: Interpreter, i: Any, n: Any, axis: int) -> Any:
    """The checked, non-negative place of index `i` on an axis of length `n`."""
    checked = plain(it.b.index(i, n, axis=axis))
    if isinstance(i, Var):
        return checked
    return int(i) if i >= 0 else it.b.dim(it.b.add(n, int(i)))


def places(it: Interpreter, x: Var, items: list[Any]) -> list[Any]:
    return [place(it, i, n, k) for k, (i, n) in enumerate(zip(items, x.type.dims, strict=True))]


def view(it: Interpreter, x: Var, items: list[Any], node: Node) -> Var:
    """A view by integers, slices and new axes (one item per axis)."""
    spec, atoms, axis = [], [], 0
    for item in items:
        if item is None:
            spec.append("n")
            continue
        n = x.type.dims[axis]
        if is_integer(item):
            spec.append("i")
            atoms.append(place(it, item, n, axis))
        elif item.lower is None and item.upper is None and is_unit(item.step):
            spec.append(":")
        else:
            spec.append("s")
            atoms += span(it, item, n, node)
        axis += 1
    return it.b.view(x, *atoms, spec=tuple(spec))


# ---- advanced indices ----
def gathered(it: Interpreter, x: Var, items: list[Any], node: Node) -> tuple[Any, list[Any], tuple]:
    """Base, checked index arrays of one shape, and the spec of a gather or scatter."""
    if any(i is None for i in items):
        x, items = _with_new_axes(it, x, items, node)
    items = _masks_as_indices(it, x, items, node)
    first = _integers_first(it, x, items, node)
    basic = [
        i if isinstance(i, Slice) or (first and is_integer(i)) else Slice(None, None, None)
        for i in items
    ]
    base = x if all(map(_whole, basic)) else view(it, x, basic, node)
    items = [i for i in items if not (first and is_integer(i))]
    spec = tuple(":" if isinstance(i, Slice) else "a" for i in items)
    arrays = [i for i in items if not isinstance(i, Slice)]
    dims = it.b.broadcast([i.type.dims for i in arrays if is_array(i)])
    idx = []
    for axis, i in enumerate(items):
        if isinstance(i, Slice):
            continue
        n = base.type.dims[axis]
        if is_array(i):
            i = it.b.indices(it.b.cast(i, Scalar("i64")), n, axis=axis)
        else:
            i = it.b.cast(place(it, i, n, axis), Scalar("i64"))
        if not is_array(i) or not same_dims(i.type.dims, dims):
            i = it.b.broadcast_to(i, *dims)
        idx.append(i)
    return base, idx, spec


def _integers_first(it: Interpreter, x: Var, items: list[Any], node: Node) -> bool:
    """Whether integers are applied before the arrays next to them, as tensors do.

    False where the order of axes is NumPy's, to which they are arrays too.
    """
    kept = [i for i in items if not is_integer(i)]
    if _first_axis(items) == _first_axis(kept) or follows_library(it):
        return False
    kind = kind_of(it, x)
    if kind is Kind.EITHER:
        it.refuse(
            node, "integers and arrays index what may be a tensor or an array: the order of the "
            "axes differs", "take the integers first: x[0][:, i]",
        )  # fmt: skip
    return kind is Kind.TENSOR


def _first_axis(items: list[Any]) -> int:
    """The position of the axes of index arrays: their own, or the first if slices part them."""
    at = [k for k, i in enumerate(items) if not isinstance(i, Slice)]
    return at[0] if at[-1] - at[0] == len(at) - 1 else 0


def _with_new_axes(it: Interpreter, x: Var, items: list[Any], node: Node) -> tuple[Var, list[Any]]:
    """A view that has the new axes already, and the items with whole axes instead of them."""
    whole = Slice(None, None, None)
    axes: list[Any] = []
    for i in items:
        mask = is_array(i) and i.type.dtype == "bool"
        axes += [None] if i is None else [whole] * (i.type.ndim if mask else 1)
    return view(it, x, axes, node), [whole if i is None else i for i in items]


def _masks_as_indices(it: Interpreter, x: Var, items: list[Any], node: Node) -> list[Any]:
    out: list[Any] = []
    axis = 0
    for i in items:
        if is_array(i) and i.type.dtype == "bool":
            dims = x.type.dims[axis : axis + i.type.ndim]
            check_mask(it, i, dims, axis)
            out += mask_places(it, i, dims)
            axis += i.type.ndim
        else:
            out.append(i)
            axis += 1
    return out


def check_mask(it: Interpreter, mask: Var, dims: tuple, axis: int = 0) -> None:
    """Checks that a mask has the lengths `dims` of the axes that it indexes, from `axis` on."""
    for k, (m, n) in enumerate(zip(mask.type.dims, dims, strict=True)):
        if m is not n:
            it.b.check_equal(n, m, kind="IndexError", message=(
                f"boolean index did not match indexed array along axis {axis + k}; size of axis "
                "is {} but size of corresponding boolean axis is {}"
            ))  # fmt: skip


def mask_places(it: Interpreter, mask: Var, dims: tuple) -> list[Var]:
    """The index arrays of the true places of a mask over axes of lengths `dims`."""
    b = it.b
    flat = b.nonzero(mask, b.count_nonzero(mask))
    places = []
    for n in reversed(dims[1:]):
        places.append(b.mod(flat, n))
        flat = b.floordiv(flat, n)
    return [flat, *reversed(places)]


def _whole(i: Any) -> bool:
    return isinstance(i, Slice) and i.lower is i.upper is i.step is None


def _axes_of(i: Any) -> int:
    return i.type.ndim if is_array(i) and i.type.dtype == "bool" else 1
