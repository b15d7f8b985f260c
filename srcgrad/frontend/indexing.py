"""Subscripts: loads, views, gathers on the right; stores, assignments, scatters on the left.

Basic indices become views, integer arrays and masks gathers, as NumPy has it. Out-of-range
indices are checked by `index` primitives; a later pass removes those it can prove.
"""

from __future__ import annotations

from typing import Any

import gast

from srcgrad.frontend.expressions import PRIMITIVE
from srcgrad.frontend.values import (
    GrownList,
    Record,
    Slice,
    describe,
    is_array,
    is_integer,
    is_number,
    is_scalar,
    is_value,
    plain,
)
from srcgrad.ir.build import shape_text
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import Scalar, is_complex, is_float


class Indexing:
    """Mixed into the interpreter."""

    b: Any

    def _of_Subscript(self, node: Any) -> Any:
        return self.subscript(self.expression(node.value), self.index_items(node.slice), node)

    def index_items(self, node: Any) -> list[Any]:
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
    def subscript(self, x: Any, items: list[Any], node: Any) -> Any:
        if is_array(x):
            return self.read(x, items, node)
        if isinstance(x, GrownList):
            return self.grown_item(x, items[0], node)
        if isinstance(x, tuple | list | str):
            (item,) = items
            if isinstance(item, Slice):
                parts = (item.lower, item.upper, item.step)
                return x[
                    slice(*(None if p is None else self.static_int(p, node, "a bound of a slice") for p in parts))
                ]
            k = self.static_int(item, node, "the index of a tuple or list")
            if not -len(x) <= k < len(x):
                self.refuse(node, f"index {k} is out of range for {len(x)} items")
            return x[k]
        if isinstance(x, dict):
            key = items[0] if len(items) == 1 else tuple(items)
            if isinstance(key, Var):
                self.refuse(node, "a key of a dict must be known at compile time")
            if key not in x:
                self.refuse(node, f"the dict has no key {key!r}")
            return x[key]
        if isinstance(x, Record) and hasattr(x.cls, "__getitem__"):
            return self.call(self.attribute(x, "__getitem__", node), items, {}, node)
        if is_scalar(x):
            self.refuse(node, "a number cannot be indexed")
        self.refuse(node, f"{describe(x)} cannot be indexed")

    def read(self, x: Var, items: list[Any], node: Any) -> Any:
        items = self._expanded(x, items, node)
        if any(_advanced(i) for i in items):
            base, idx, spec = self._gathered(x, items, node)
            return plain(self.b("gather", base, *idx, spec=spec))
        if all(is_integer(i) for i in items):
            return plain(self.b("load", x, *self._places(x, items)))
        return self.view(x, items, node)

    def _expanded(self, x: Var, items: list[Any], node: Any) -> list[Any]:
        """One item per axis: the ellipsis and missing axes filled in, 0-d arrays loaded."""
        items = [self._index_value(i, node) for i in items]
        used = sum(_axes_of(i) for i in items if i is not Ellipsis and i is not None)
        missing = x.type.ndim - used
        if missing < 0:
            self.refuse(
                node, f"too many indices: the array is {x.type.ndim}-dimensional, but {used} were indexed"
            )
        whole = [Slice(None, None, None)] * missing
        if any(i is Ellipsis for i in items):
            k = next(k for k, i in enumerate(items) if i is Ellipsis)
            return [*items[:k], *whole, *items[k + 1 :]]
        return [*items, *whole]

    def _index_value(self, i: Any, node: Any) -> Any:
        if i is None or i is Ellipsis or isinstance(i, Slice) or is_integer(i):
            return i
        if isinstance(i, list) or (isinstance(i, tuple) and all(is_number(v) for v in i)):
            import numpy as np

            i = self.call_numpy(np.array, [i], {}, node)
        if isinstance(i, slice):
            return Slice(i.start, i.stop, i.step)
        if is_array(i) and i.type.dtype[0] in "iub":
            return i if i.type.dims else self.b("load", i)
        if is_scalar(i) and atom(i).type.dtype == "bool":
            self.refuse(node, "a boolean scalar as an index is not supported", "use np.where")
        self.refuse(
            node, f"{describe(i)} cannot be an index", "indices are integers, slices, masks, int arrays"
        )

    def place(self, i: Any, n: Any, axis: int) -> Any:
        """The checked, non-negative place of index `i` on an axis of length `n`."""
        checked = plain(self.b("index", i, n, axis=axis))
        if isinstance(i, Var):
            return checked
        return int(i) if i >= 0 else self.b.dim(self.b("add", n, int(i)))

    def _places(self, x: Var, items: list[Any]) -> list[Any]:
        return [self.place(i, n, k) for k, (i, n) in enumerate(zip(items, x.type.dims, strict=True))]

    def view(self, x: Var, items: list[Any], node: Any) -> Var:
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
            elif item.lower is None and item.upper is None and item.step in (None, 1):
                spec.append(":")
            else:
                spec.append("s")
                atoms += self.span(item, n, node)
            axis += 1
        return self.b("view", x, *atoms, spec=tuple(spec))

    def span(self, s: Slice, n: Any, node: Any) -> list[Any]:
        """Start, length and step of a slice of an axis of length `n` (Python's clipping)."""
        step = 1 if s.step is None else s.step
        if is_number(step) and step == 0:
            self.refuse(node, "slice step cannot be zero")
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

    def _slice_bound(self, v: Any, node: Any) -> Any:
        if v is None or is_integer(v):
            return v
        if is_array(v) and not v.type.dims and v.type.dtype[0] in "iu":
            return self.b("load", v)
        self.refuse(node, "slice indices must be integers or None")

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
            return [b.dim(b("maximum", b("add", n, int(lower)), 0)), b.dim(b("minimum", n, -int(lower))), 1]
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
    def _gathered(self, x: Var, items: list[Any], node: Any) -> tuple[Any, list[Any], tuple]:
        """Base, checked index arrays of one shape, and the spec of a gather or scatter."""
        if any(i is None for i in items):
            self.refuse(node, "a new axis next to an index array is not supported", "use reshape")
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
            if not is_array(i) or i.type.dims != dims:
                i = self.b("broadcast_to", i, *dims)
            idx.append(i)
            place += 1
        return base, idx, spec

    def _masks_as_indices(self, x: Var, items: list[Any], node: Any) -> list[Any]:
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

    # ---- writing ----
    def store(self, target: Any, x: Any, value: Any) -> None:
        items = self.index_items(target.slice)
        if isinstance(x, list):
            (item,) = items
            k = self.static_int(item, target, "the index of a list")
            x[k] = value
            return
        if isinstance(x, dict):
            x[items[0] if len(items) == 1 else tuple(items)] = value
            return
        if isinstance(x, GrownList):
            place = self.grown_place(x, items[0])
            self.b("store", x.tape, place, self.b.cast(value, x.dtype))
            return
        if not is_array(x):
            self.refuse(target, f"{describe(x)} does not support item assignment")
        self.write(x, items, value, target)

    def write(self, x: Var, items: list[Any], value: Any, node: Any) -> None:
        items = self._expanded(x, items, node)
        value = self._stored_value(x, value, node)
        if any(_advanced(i) for i in items):
            self._write_advanced(x, items, value, node)
        elif all(is_integer(i) for i in items) and x.type.dims:
            places = self._places(x, items)
            if is_array(value):
                value = self._only_element(value, node)
            self.b("store", x, *places, value)
        else:
            whole = all(isinstance(i, Slice) and i.lower is i.upper is i.step is None for i in items)
            self.assign_array(x if whole else self.view(x, items, node), value)

    def _stored_value(self, x: Var, value: Any, node: Any) -> Any:
        if isinstance(value, list | tuple | GrownList):
            import numpy as np

            value = self.call_numpy(np.array, [value], {}, node)
        if not is_value(value):
            self.refuse(node, f"{describe(value)} cannot be stored in an array")
        have, want = atom(value).type.dtype, x.type.dtype
        if is_complex(have) and not is_complex(want):
            self.refuse(node, "a complex value cannot be stored in a real array")
        if is_array(value) and not value.type.dims:
            value = self.b("load", value)
        return self.b.cast(value, Scalar(want))

    def _only_element(self, value: Var, node: Any) -> Any:
        for d in value.type.dims:
            if isinstance(d, Var):
                self.b("check_equal", d, 1, message="setting an array element with a sequence.")
            elif d != 1:
                self.refuse(node, "setting an array element with a sequence.")
        return self.b("load", value, *([0] * value.type.ndim))

    def assign_array(self, target: Var, value: Any) -> None:
        """`target[...] = value`, as if the right side were copied first."""
        if is_array(value):
            value = self._fitting(value, target)
            value = self.unaliased(value, target)
        self.b("assign", target, value)

    def _fitting(self, value: Var, target: Var) -> Var:
        """The value with leading axes of length 1 dropped, checked to broadcast into the target."""
        from srcgrad.errors import ShapeError

        a, v = target.type.dims, value.type.dims
        pairs = list(zip(reversed(a), reversed(v), strict=False))
        if len(v) <= len(a) and all(m is n or m == n or n == 1 for m, n in pairs if not isinstance(n, Var) or m is n) and all(
            m is n or not isinstance(n, Var) for m, n in pairs
        ) and all(not (isinstance(m, Var) and not isinstance(n, Var) and n != 1) for m, n in pairs):
            return value
        if not any(isinstance(d, Var) for d in (*a, *v)):
            fits = len(v) <= len(a) and all(n in (m, 1) for m, n in pairs)
            if not fits and not all(d == 1 for d in v[: max(len(v) - len(a), 0)]):
                raise ShapeError(
                    f"could not broadcast input array from shape {shape_text(v)} into shape {shape_text(a)}",
                    self.b.loc,
                )
        self.b("check_assign", *a, *v, split=len(a))
        extra = len(v) - len(a)
        if extra > 0:
            spec = ("i",) * extra + (":",) * len(a)
            value = self.b("view", value, *([0] * extra), spec=spec)
        return value

    def unaliased(self, value: Var, target: Var) -> Var:
        """A copy of the value unless it is known to live in another buffer than the target."""
        mine, other = self.root(value), self.root(target)
        if mine is not None and other is not None and mine is not other:
            return value
        return self.b("copy", value)

    def root(self, v: Var) -> Var | None:
        """The variable of the buffer that `v` views, if it was allocated in plain sight."""
        definition = self.definition(v)
        while definition is not None and definition.op.view:
            v = definition.args[0]
            definition = self.definition(v)
        return v if definition is not None else None

    def _write_advanced(self, x: Var, items: list[Any], value: Any, node: Any) -> None:
        mask = items[0] if len(items) == 1 or all(_whole(i) for i in items[1:]) else None
        if is_array(mask) and mask.type.dtype == "bool" and not is_array(value) and (
            mask.type.ndim == x.type.ndim
        ):
            for m, n in zip(mask.type.dims, x.type.dims, strict=True):
                if m is not n:
                    self.mask_places(mask, x.type.dims)
            self.b("assign", x, self.b("where", mask, value, x))
            return
        base, idx, spec = self._gathered(x, items, node)
        if is_array(value):
            self.b("scatter", base, *idx, self._spread(value, base, idx, spec), spec=spec)
        else:
            self.b("scatter", base, *idx, value, spec=spec)

    def _spread(self, value: Var, base: Var, idx: list[Var], spec: tuple) -> Var:
        from srcgrad.primitives.memory import gather_dims

        dims = gather_dims(base.type.dims, idx[0].type.dims, spec)
        if value.type.dims == dims:
            return self.unaliased(value, base)
        self.b("check_assign", *dims, *value.type.dims, split=len(dims))
        return self.b("broadcast_to", value, *dims)

    # ---- augmented ----
    def augment(self, node: Any) -> None:
        """`x[items] op= value`."""
        x = self.expression(node.target.value)
        items = self.index_items(node.target.slice)
        if not is_array(x):
            old = self.subscript(x, items, node.target)
            value = self.expression(node.value)
            new = None if is_array(old) else self.binary(node.op, old, value, node)
            if is_array(old):
                self.in_place(node.op, old, value, node)
            elif isinstance(x, list):
                x[self.static_int(items[0], node, "the index of a list")] = new
            elif isinstance(x, dict):
                x[items[0]] = new
            elif isinstance(x, GrownList):
                place = self.grown_place(x, items[0])
                self.b("store", x.tape, place, self.b.cast(new, x.dtype))
            else:
                self.refuse(node, f"{describe(x)} does not support item assignment")
            return
        items = self._expanded(x, items, node)
        value = self.expression(node.value)
        if any(_advanced(i) for i in items):
            self._augment_advanced(x, items, value, node)
        elif all(is_integer(i) for i in items) and x.type.dims:
            self._augment_element(x, self._places(x, items), value, node)
        else:
            self.in_place(node.op, self.view(x, items, node), value, node)

    def _augment_element(self, x: Var, places: list[Any], value: Any, node: Any) -> None:
        if is_array(value):
            value = self._only_element(value, node)
        if is_float(x.type.dtype) and isinstance(node.op, gast.Add | gast.Sub) and is_scalar(value):
            value = self._stored_value(x, value, node)
            value = value if isinstance(node.op, gast.Add) else self.b("neg", value)
            self.b("add_at", x, *places, value)
            return
        old = self.b("load", x, *places)
        new = self.binary(node.op, old, value, node)
        self.b("store", x, *places, self._stored_value(x, new, node))

    def _augment_advanced(self, x: Var, items: list[Any], value: Any, node: Any) -> None:
        mask = items[0]
        if len(items) == 1 and mask.type.dtype == "bool" and mask.type.ndim == x.type.ndim and is_scalar(value):
            new = self.binary(node.op, x, value, node)
            self.b("assign", x, self.b("where", mask, self._stored_value(x, new, node), x))
            return
        base, idx, spec = self._gathered(x, items, node)
        old = self.b("gather", base, *idx, spec=spec)
        new = self._stored_value(x, self.binary(node.op, old, value, node), node)
        self.b("scatter", base, *idx, self._spread(new, base, idx, spec), spec=spec)

    def in_place(self, op: Any, x: Var, value: Any, node: Any) -> None:
        """`x op= value` on a whole array or view: NumPy's in-place operator."""
        if isinstance(value, list | tuple | GrownList):
            import numpy as np

            value = self.call_numpy(np.array, [value], {}, node)
        if is_float(x.type.dtype) and isinstance(op, gast.Add | gast.Sub) and is_value(value):
            if is_complex(atom(value).type.dtype) and not is_complex(x.type.dtype):
                self.refuse(node, "a complex value cannot be added to a real array in place")
            value = self._stored_value(x, value, node)
            if is_array(value):
                value = self._fitting(value, x)
                value = value if isinstance(op, gast.Sub) else self.unaliased(value, x)
            value = value if isinstance(op, gast.Add) else self.b("neg", value)
            self.b("add_to", x, value)
            return
        new = self.binary(op, x, value, node)
        have = atom(new).type.dtype
        if have[0] in "fc" and x.type.dtype[0] in "iub":
            name = PRIMITIVE.get(type(op).__name__, "power")
            self.refuse(
                node, f"the result of '{name}' is {have} and cannot be stored in place in {x.type.dtype}",
                "make the array a float array first: x = x.astype(float)",
            )  # fmt: skip
        self.assign_array(x, self._stored_value(x, new, node))


def _advanced(i: Any) -> bool:
    return is_array(i)


def _whole(i: Any) -> bool:
    return isinstance(i, Slice) and i.lower is i.upper is i.step is None


def _axes_of(i: Any) -> int:
    return i.type.ndim if is_array(i) and i.type.dtype == "bool" else 1


