"""Subscripts: loads, views, gathers on the right; stores, assignments, scatters on the left.

Basic indices become views, integer arrays and masks gathers, as NumPy has it. Out-of-range
indices are checked by `index` primitives; a later pass removes those it can prove.
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import (
    GrownList,
    Range,
    Record,
    Slice,
    describe,
    is_array,
    is_integer,
    is_number,
    is_scalar,
    is_unit,
    plain,
    written,
)
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import Scalar, same_dims


def subscripted(x: Any) -> Any:
    """The handler of an object that is no container: np.r_ and its kin."""
    from srcgrad.frontend.handlers.registry import METHODS

    return METHODS.get((type(x).__name__, "__getitem__"))


class Indexing(Interpreter):
    """Mixed into the interpreter."""

    def _of_Subscript(self, node: gast.Subscript) -> Any:
        x = self.expression(node.value)
        return self.subscript(x, self.items_of(x, node.slice), node)

    def items_of(self, x: Any, node: Node) -> list[Any]:
        """The parts of a subscript of `x`; the key of a dict is one."""
        return [self.expression(node)] if isinstance(x, dict) else self.index_items(node)

    def index_items(self, node: Node) -> list[Any]:
        nodes = node.elts if isinstance(node, gast.Tuple) else [node]
        if not isinstance(node, gast.Tuple):
            item = self._index_item(node)
            return list(item) if isinstance(item, tuple) else [item]
        return [self._index_item(n) for n in nodes]

    def _index_item(self, n: Any) -> Any:
        if isinstance(n, gast.Slice):
            parts = (n.lower, n.upper, n.step)
            return Slice(*(None if p is None else self.expression(p) for p in parts))
        return self.expression(n)

    # ---- reading ----
    def subscript(self, x: Any, items: list[Any], node: gast.Subscript) -> Any:
        if is_array(x):
            return self.read(x, items, node)
        if isinstance(x, GrownList):
            return self.grown_item(x, items[0], node)
        if isinstance(x, tuple | list | str):
            if len(items) == 1 and isinstance(items[0], Slice | slice):
                return self._slice_of_sequence(x, items[0], node)
            return x[self.list_place(x, items, node)]
        if isinstance(x, dict):
            key = self.static_key(items[0], node)
            if key not in x:
                self.refuse(node, f"the dict has no key {written(key)}", like=KeyError)
            return x[key]
        if isinstance(x, Record) and hasattr(x.cls, "__getitem__"):
            item = items[0] if len(items) == 1 else tuple(items)
            return self.call(self.attribute(x, "__getitem__", node), [item], {}, node)
        if isinstance(x, Range):
            return self.b("add", x.start, self.b("mul", items[0], x.step))
        if is_scalar(x) and not isinstance(x, np.void):
            if x.type.weak if isinstance(x, Var) else not isinstance(x, np.generic) or items:
                self.refuse(node, "a number cannot be indexed", like=TypeError)
            return self._index_of_scalar(x, items, node)
        handler = subscripted(x)
        if handler is not None:
            return handler(self, node, x, *items)
        parts = self.parts_of(x, node)
        if parts is not None:
            return self.subscript(parts, items, node)
        from srcgrad.frontend.handlers.registry import handler_of

        handler = None if callable(x) else handler_of(x)
        if handler is not None:  # np.mgrid and what else is written with brackets
            return handler(self, node, *items)
        if isinstance(x, bytes | bytearray | memoryview):
            name = node.value.id if isinstance(node.value, gast.Name) else "..."
            self.refuse(
                node, f"'{name}' is {describe(x)}, which is not supported",
                f"pass an array: np.frombuffer({name}, np.uint8)",
            )  # fmt: skip
        if isinstance(x, np.void):
            self.refuse(node, f"{describe(x)} is not supported", "pass its fields")
        self.refuse(node, f"{describe(x)} cannot be indexed", like=TypeError)

    def _slice_of_sequence(self, x: Any, item: Any, node: Node) -> Any:
        parts = [getattr(item, f, None) for f in ("lower", "upper", "step")]
        if isinstance(item, slice):
            parts = [item.start, item.stop, item.step]
        bounds = [
            None if p is None else self.static_int(p, node, "a bound of a slice") for p in parts
        ]
        if bounds[2] == 0:
            self.refuse(node, "slice step cannot be zero", like=ValueError)
        part = x[slice(*bounds)]
        return self.tracked_list(part, node) if isinstance(x, list) else part

    def _index_of_scalar(self, x: Any, items: list[Any], node: Node) -> Any:
        """A NumPy scalar takes [()], [...] and [None]."""
        if all(i is Ellipsis for i in items):
            return x
        if all(i is None for i in items):
            return self.b("broadcast_to", x, *([1] * len(items)))
        self.refuse(node, "a number cannot be indexed", like=IndexError)

    def read(self, x: Var, items: list[Any], node: Node) -> Any:
        referring = any(i is Ellipsis for i in items) and bool(x.type.dims)  # x[0, ...] is a view
        items = self._expanded(x, items, node)
        if any(_advanced(i) for i in items):
            base, idx, spec = self._gathered(x, items, node)
            return plain(self.b("gather", base, *idx, spec=spec))
        if all(is_integer(i) for i in items) and not referring:
            return plain(self.b("load", x, *self._places(x, items)))
        return self.view(x, items, node)

    def _expanded(self, x: Var, items: list[Any], node: Node) -> list[Any]:
        """One item per axis: the ellipsis and missing axes filled in, 0-d arrays loaded."""
        items = [self._index_value(i, node) for i in items]
        used = sum(_axes_of(i) for i in items if i is not Ellipsis and i is not None)
        missing = x.type.ndim - used
        if missing < 0:
            self.refuse(
                node,
                f"too many indices: the array is {x.type.ndim}-dimensional, "
                f"but {used} were indexed",
                like=IndexError,
            )
        whole = [Slice(None, None, None)] * missing
        if any(i is Ellipsis for i in items):
            k = next(k for k, i in enumerate(items) if i is Ellipsis)
            return [*items[:k], *whole, *items[k + 1 :]]
        return [*items, *whole]

    def _index_value(self, i: Any, node: Node) -> Any:
        if i is None or i is Ellipsis or isinstance(i, Slice) or is_integer(i):
            return i
        if isinstance(i, list) or (isinstance(i, tuple) and all(is_number(v) for v in i)):
            i = self.call_numpy(np.array, [i], {}, node)
        if isinstance(i, slice):
            return Slice(i.start, i.stop, i.step)
        if is_array(i) and i.type.dtype[0] in "iub":
            return i if i.type.dims else self.b("load", i)
        if is_scalar(i) and atom(i).type.dtype == "bool":
            self.refuse(node, "a boolean scalar as an index is not supported", "use np.where")
        self.refuse(
            node,
            f"{describe(i)} cannot be an index",
            "indices are integers, slices, masks, int arrays",
            like=None if isinstance(i, Range | range) else IndexError,
        )

    def place(self, i: Any, n: Any, axis: int) -> Any:
        """The checked, non-negative place of index `i` on an axis of length `n`."""
        checked = plain(self.b("index", i, n, axis=axis))
        if isinstance(i, Var):
            return checked
        return int(i) if i >= 0 else self.b.dim(self.b("add", n, int(i)))

    def _places(self, x: Var, items: list[Any]) -> list[Any]:
        return [
            self.place(i, n, k) for k, (i, n) in enumerate(zip(items, x.type.dims, strict=True))
        ]

    def view(self, x: Var, items: list[Any], node: Node) -> Var:
        """A view by integers, slices and new axes (one item per axis)."""
        spec, atoms, axis = [], [], 0
        for item in items:
            if item is None:
                spec.append("n")
                continue
            n = x.type.dims[axis]
            if is_integer(item):
                spec.append("i")
                atoms.append(self.place(item, n, axis))
            elif item.lower is None and item.upper is None and is_unit(item.step):
                spec.append(":")
            else:
                spec.append("s")
                atoms += self.span(item, n, node)
            axis += 1
        return self.b("view", x, *atoms, spec=tuple(spec))

    def span(self, s: Slice, n: Any, node: Node) -> list[Any]:
        """Start, length and step of a slice of an axis of length `n` (Python's clipping)."""
        step = 1 if s.step is None else s.step
        if is_number(step) and step == 0:
            self.refuse(node, "slice step cannot be zero", like=ValueError)
        lower, upper = (self._slice_bound(v, node) for v in (s.lower, s.upper))
        b = self.b
        if is_number(step) and step == 1:
            return self._unit_span(lower, upper, n)
        if is_number(step) and step == -1 and lower is None and upper is None:
            return [b.dim(b("sub", n, 1)), n, -1]
        if isinstance(step, Var):
            zero = plain(b("eq", step, 0))
            self.fail_if(zero, "ValueError", "slice step cannot be zero")
        if lower is None:
            down = b("lt", step, 0)
            start = b("where", down, b("sub", n, 1), 0)
        else:
            start = b("slice_start", lower, n, step)
        if upper is None:
            stop = b("where", b("lt", step, 0), -1, n)
        else:
            stop = b("slice_stop", upper, n, step)
        return [plain(start), b.dim(b("trips", start, stop, step)), step]

    def _slice_bound(self, v: Any, node: Node) -> Any:
        if isinstance(v, bool):  # Python's are integers
            return int(v)
        if v is None or is_integer(v):
            return v
        if is_scalar(v) and isinstance(v, Var) and v.type.dtype == "bool":
            return self.b.cast(v, Scalar("i64"))
        if is_array(v) and not v.type.dims and v.type.dtype[0] in "iu":
            return self.b("load", v)
        self.refuse(node, "slice indices must be integers or None", like=TypeError)

    def _unit_span(self, lower: Any, upper: Any, n: Any) -> list[Any]:
        """The common case, in a form that equal lengths share: max(n - c, 0)."""
        b = self.b
        low_known = lower is None or (is_number(lower) and lower >= 0)
        if low_known and (upper is None or (is_number(upper) and upper < 0)):
            start = 0 if lower is None else int(lower)
            cut = start - (0 if upper is None else int(upper))
            return [start, b.dim(b("maximum", b("sub", n, cut), 0)), 1]
        if lower is None or (is_number(lower) and lower == 0):
            return [0, b.dim(self._clipped(upper, n)), 1]
        if is_number(lower) and lower < 0 and upper is None:
            return [
                b.dim(b("maximum", b("add", n, int(lower)), 0)),
                b.dim(b("minimum", n, -int(lower))),
                1,
            ]
        start = self._clipped(lower, n)
        stop = n if upper is None else self._clipped(upper, n)
        return [b.dim(start), b.dim(b("maximum", b("sub", stop, start), 0)), 1]

    def _clipped(self, i: Any, n: Any) -> Any:
        """A bound of a slice, negative ones from the end, within 0..n."""
        b = self.b
        if is_number(i):
            return b("minimum", int(i), n) if i >= 0 else b("maximum", b("add", n, int(i)), 0)
        return b("slice_start", i, n, 1)

    # ---- advanced indices ----
    def _gathered(self, x: Var, items: list[Any], node: Node) -> tuple[Any, list[Any], tuple]:
        """Base, checked index arrays of one shape, and the spec of a gather or scatter."""
        if any(i is None for i in items):
            x, items = self._with_new_axes(x, items, node)
        items = self._masks_as_indices(x, items, node)
        slices = [i if isinstance(i, Slice) else Slice(None, None, None) for i in items]
        whole = all(s.lower is s.upper is s.step is None for s in slices)
        base = x if whole else self.view(x, slices, node)
        spec = tuple(":" if isinstance(i, Slice) else "a" for i in items)
        arrays = [i for i in items if not isinstance(i, Slice)]
        dims = self.b.broadcast([i.type.dims for i in arrays if is_array(i)])
        idx, place = [], 0
        for axis, i in enumerate(items):
            if isinstance(i, Slice):
                continue
            n = x.type.dims[axis]
            if is_array(i):
                i = self.b("indices", self.b.cast(i, Scalar("i64")), n, axis=axis)
            else:
                i = self.b.cast(self.place(i, n, axis), Scalar("i64"))
            if not is_array(i) or not same_dims(i.type.dims, dims):
                i = self.b("broadcast_to", i, *dims)
            idx.append(i)
            place += 1
        return base, idx, spec

    def _with_new_axes(self, x: Var, items: list[Any], node: Node) -> tuple[Var, list[Any]]:
        """A view that has the new axes already, and the items with whole axes in their place."""
        whole = Slice(None, None, None)
        axes: list[Any] = []
        for i in items:
            mask = is_array(i) and i.type.dtype == "bool"
            axes += [None] if i is None else [whole] * (i.type.ndim if mask else 1)
        return self.view(x, axes, node), [whole if i is None else i for i in items]

    def _masks_as_indices(self, x: Var, items: list[Any], node: Node) -> list[Any]:
        out: list[Any] = []
        axis = 0
        for i in items:
            if is_array(i) and i.type.dtype == "bool":
                out += self.mask_places(i, x.type.dims[axis : axis + i.type.ndim])
                axis += i.type.ndim
            else:
                out.append(i)
                axis += 1
        return out

    def mask_places(self, mask: Var, dims: tuple) -> list[Var]:
        """The index arrays of the true places of a mask over axes of lengths `dims`."""
        b = self.b
        for k, (m, n) in enumerate(zip(mask.type.dims, dims, strict=True)):
            if m is not n:
                b("check_equal", n, m, message=(
                    f"boolean index did not match indexed array along axis {k}; size of axis is "
                    "{} but size of corresponding boolean axis is {}"
                ))  # fmt: skip
        flat = b("nonzero", mask, b("count_nonzero", mask))
        places = []
        for n in reversed(dims[1:]):
            places.append(b("mod", flat, n))
            flat = b("floordiv", flat, n)
        return [flat, *reversed(places)]


def _advanced(i: Any) -> bool:
    return is_array(i)


def _whole(i: Any) -> bool:
    return isinstance(i, Slice) and i.lower is i.upper is i.step is None


def _axes_of(i: Any) -> int:
    return i.type.ndim if is_array(i) and i.type.dtype == "bool" else 1
