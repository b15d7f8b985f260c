"""Stores: what stands on the left of an assignment, arrays and containers alike.

An element is a `store`, a slice an `assign` through a view, index arrays and masks a `scatter`; a
right side that may overlap the target is copied first. Never changes a container that several
paths share (`changing` refuses that).
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from srcgrad.errors import ShapeError
from srcgrad.frontend.expressions import PRIMITIVE
from srcgrad.frontend.indexing import _advanced
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import (
    GrownList,
    Record,
    Slice,
    describe,
    is_array,
    is_integer,
    is_scalar,
    is_value,
)
from srcgrad.ir.build import shape_text
from srcgrad.ir.nodes import Atom, Def, Var, atom
from srcgrad.ir.types import Scalar, is_complex, is_float, real_dtype, same_dim, same_dims
from srcgrad.ir.walk import walk
from srcgrad.primitives.memory import gather_dims

PARTS = ("real", "imag")  # of a complex number, in the order of `to_complex`


class Stores(Interpreter):
    """Mixed into the interpreter."""

    def store(self, target: Any, x: Any, value: Any) -> None:
        items = self.items_of(x, target.slice)
        if isinstance(x, list | dict):
            self.set_item(x, items, value, target)
            return
        if isinstance(x, GrownList):
            self.set_grown(x, items, value, target)
            return
        if isinstance(x, Record) and hasattr(x.cls, "__setitem__"):
            item = items[0] if len(items) == 1 else tuple(items)
            self.call(self.attribute(x, "__setitem__", target), [item, value], {}, target)
            return
        if not is_array(x):
            self.refuse(target, f"{describe(x)} does not support item assignment", like=TypeError)
        self.write(x, items, value, target)

    def write(self, x: Var, items: list[Any], value: Any, node: Node) -> None:
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
            whole = all(
                isinstance(i, Slice) and i.lower is i.upper is i.step is None for i in items
            )
            self.assign_array(x if whole else self.view(x, items, node), value)

    def owner_of_part(self, node: Node) -> tuple[Any, str]:
        """For `z.real` and `z.imag`: an array of complex numbers and the part's name.

        The attribute itself without a name where `z` is something else; (None, "") for other nodes.
        """
        if not isinstance(node, gast.Attribute) or node.attr not in PARTS:
            return None, ""
        owner = self.expression(node.value)
        if is_array(owner) and is_complex(owner.type.dtype):
            return owner, node.attr
        return self.attribute(owner, node.attr, node), ""

    def store_part(
        self, z: Var, name: str, items: list[Any], value: Any, node: Node, op: Any = None
    ) -> None:
        """`z.real[items] = value`, or `op=` it: the other part stays as it is."""
        if isinstance(value, list | tuple | GrownList):
            value = self.call_numpy(np.array, [value], {}, node)
        if not is_value(value):
            self.refuse(node, f"{describe(value)} cannot be stored in an array")
        old = self.read(z, items, node)
        parts = {each: self.b(each, old) for each in PARTS}
        if op is not None:
            value = self.binary(op, parts[name], value, node)
        parts[name] = self.b.cast(value, Scalar(real_dtype(z.type.dtype)))
        self.write(z, items, self.b("to_complex", *(parts[each] for each in PARTS)), node)

    def augment_part(self, z: Var, name: str, items: list[Any], node: gast.AugAssign) -> None:
        """`z.real[items] op= value`."""
        start = len(self.b.out)
        value = self.expression(node.value)
        if any(isinstance(s, Def) and s.op.writes for s in walk(self.b.out[start:])):
            self.refuse(node, "the right side stores to memory", "compute it before")
        self.store_part(z, name, items, value, node.target, node.op)

    def _stored_value(self, x: Var, value: Any, node: Node) -> Any:
        if isinstance(value, list | tuple | GrownList):
            value = self.call_numpy(np.array, [value], {}, node)
        if not is_value(value):
            self.refuse(node, f"{describe(value)} cannot be stored in an array", like=ValueError)
        have, want = atom(value).type.dtype, x.type.dtype
        if is_complex(have) and not is_complex(want):
            self.refuse(node, "a complex value cannot be stored in a real array")
        if is_array(value) and not value.type.dims:
            value = self.b("load", value)
        return self.b.cast(value, Scalar(want))

    def _only_element(self, value: Var, node: Node) -> Any:
        for d in value.type.dims:
            if isinstance(d, Var):
                self.b("check_equal", d, 1, message="setting an array element with a sequence.")
            elif d != 1:
                self.refuse(node, "setting an array element with a sequence.", like=ValueError)
        return self.b("load", value, *([0] * value.type.ndim))

    def assign_array(self, target: Var, value: Any) -> None:
        """`target[...] = value`, as if the right side were copied first."""
        if is_array(value):
            value = self._fitting(value, target)
            value = self.unaliased(value, target)
        self.b("assign", target, value)

    def _fitting(self, value: Var, target: Var) -> Var:
        """The value with leading axes of length 1 dropped, checked to broadcast into the target."""
        a, v = target.type.dims, value.type.dims
        pairs = list(zip(reversed(a), reversed(v), strict=False))
        if (
            len(v) <= len(a)
            and all(same_dim(m, n) or n == 1 for m, n in pairs if not isinstance(n, Var))
            and all(m is n or not isinstance(n, Var) for m, n in pairs)
            and all(
                not (isinstance(m, Var) and not isinstance(n, Var) and n != 1) for m, n in pairs
            )
        ):
            return value
        if not any(isinstance(d, Var) for d in (*a, *v)):
            fits = len(v) <= len(a) and all(n in (m, 1) for m, n in pairs)
            if not fits and not all(d == 1 for d in v[: max(len(v) - len(a), 0)]):
                raise ShapeError(
                    f"could not broadcast input array from shape {shape_text(v)} "
                    f"into shape {shape_text(a)}",
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

    def root(self, v: Atom) -> Atom | None:
        """The variable of the buffer that `v` views, if it was allocated in plain sight."""
        definition = self.definition(v)
        while definition is not None and definition.op.view:
            v = definition.args[0]
            definition = self.definition(v)
        return v if definition is not None else None

    def _write_advanced(self, x: Var, items: list[Any], value: Any, node: Node) -> None:
        mask = items[0]
        if (
            len(items) == 1
            and is_array(mask)
            and mask.type.dtype == "bool"
            and not is_array(value)
            and (mask.type.ndim == x.type.ndim)
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
        dims = gather_dims(base.type.dims, idx[0].type.dims, spec)
        if same_dims(value.type.dims, dims):
            return self.unaliased(value, base)
        self.b("check_assign", *dims, *value.type.dims, split=len(dims))
        return self.b("broadcast_to", value, *dims)

    # ---- augmented ----
    def augment(self, node: gast.AugAssign) -> None:
        """`x[items] op= value`."""
        assert isinstance(node.target, gast.Subscript)
        x, name = self.owner_of_part(node.target.value)
        x = self.expression(node.target.value) if x is None else x
        items = self.items_of(x, node.target.slice)
        if name:
            self.augment_part(x, name, items, node)
            return
        if not is_array(x):
            old = self.subscript(x, items, node.target)
            new = self.augmented(node, old, self.expression(node.value))
            if isinstance(x, list | dict):
                self.set_item(x, items, new, node.target)
            elif isinstance(x, GrownList):
                self.set_grown(x, items, new, node.target)
            elif isinstance(x, Record) and hasattr(x.cls, "__setitem__"):
                item = items[0] if len(items) == 1 else tuple(items)
                setter = self.attribute(x, "__setitem__", node.target)
                self.call(setter, [item, new], {}, node.target)
            elif new is not old:
                self.refuse(node, f"{describe(x)} does not support item assignment", like=TypeError)
            return
        items = self._expanded(x, items, node)
        start, known = len(self.b.out), self._known_before(node.value)
        value = self.expression(node.value)
        if any(isinstance(s, Def) and s.op.writes for s in walk(self.b.out[start:])):
            self._augment_old(x, items, value, node, start, known)
        elif any(_advanced(i) for i in items):
            self._augment_advanced(x, items, value, node)
        elif all(is_integer(i) for i in items) and x.type.dims:
            self._augment_element(x, self._places(x, items), value, node)
        else:
            self.in_place(node.op, self.view(x, items, node), value, node)

    def _known_before(self, node: Node) -> dict:
        """What the builder knows before a value is computed that may store to something."""
        calls = any(isinstance(n, gast.Call) for n in gast.walk(node))
        return dict(self.b.scopes[-1]) if calls else {}

    def _augment_old(
        self, x: Var, items: list[Any], value: Any, node: gast.AugAssign, start: int, known: dict
    ) -> None:
        """`x[items] op= value` where computing the value stores: the old one is read before."""
        later, now = self.b.out[start:], self.b.scopes[-1]
        del self.b.out[start:]
        self.b.scopes[-1] = known
        view = all(isinstance(i, Slice) or is_integer(i) or i is None for i in items)
        if view and not (all(is_integer(i) for i in items) and x.type.dims):
            old: Any = self.view(x, items, node)
        else:
            old = self.read(x, items, node)
        self.b.out += later
        self.b.scopes[-1] = {**known, **now}
        if view and is_array(old):
            self.in_place(node.op, old, value, node)
        else:
            self.write(x, items, self.binary(node.op, old, value, node), node)

    def _augment_element(self, x: Var, places: list[Any], value: Any, node: gast.AugAssign) -> None:
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

    def _augment_advanced(self, x: Var, items: list[Any], value: Any, node: gast.AugAssign) -> None:
        mask = items[0]
        if (
            len(items) == 1
            and mask.type.dtype == "bool"
            and mask.type.ndim == x.type.ndim
            and is_scalar(value)
        ):
            new = self.binary(node.op, x, value, node)
            self.b("assign", x, self.b("where", mask, self._stored_value(x, new, node), x))
            return
        base, idx, spec = self._gathered(x, items, node)
        old = self.b("gather", base, *idx, spec=spec)
        new = self._stored_value(x, self.binary(node.op, old, value, node), node)
        self.b("scatter", base, *idx, self._spread(new, base, idx, spec), spec=spec)

    def in_place(self, op: Any, x: Var, value: Any, node: Node) -> None:
        """`x op= value` on a whole array or view: NumPy's in-place operator."""
        if isinstance(value, list | tuple | GrownList):
            value = self.call_numpy(np.array, [value], {}, node)
        if is_float(x.type.dtype) and isinstance(op, gast.Add | gast.Sub) and is_value(value):
            if is_complex(atom(value).type.dtype) and not is_complex(x.type.dtype):
                self.refuse(
                    node, "a complex value cannot be added to a real array in place", like=TypeError
                )
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
                node,
                f"the result of '{name}' is {have} and cannot be stored in place in {x.type.dtype}",
                "make the array a float array first: x = x.astype(float)", like=TypeError,
            )  # fmt: skip
        self.assign_array(x, self._stored_value(x, new, node))
