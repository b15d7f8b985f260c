"""Stores: the left side of an assignment, for arrays and containers.

An element is a `store`, a slice an `assign` through a view, index arrays and masks a `scatter`; a
right side that may overlap the target is copied first. Never changes a container that several
paths share (`changing` refuses that).
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from srcgrad.errors import ShapeError
from srcgrad.frontend import indexing
from srcgrad.frontend.array_operands import operand_in_place
from srcgrad.frontend.casts import cast, check_same_kind, only_element
from srcgrad.frontend.changed_lists import put_slice
from srcgrad.frontend.conversion import element, items_in_dtype
from srcgrad.frontend.derived_instances import array_of, contents_for_numpy, places_in
from srcgrad.frontend.expressions import PRIMITIVE, SEQUENCES, binary
from srcgrad.frontend.growing import set_grown
from srcgrad.frontend.indexing import check_mask, expanded, gathered, items_of, subscript
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.lists import set_item
from srcgrad.frontend.maybe_none import as_index, present
from srcgrad.frontend.narrowing import by_kind
from srcgrad.frontend.rank_zero import change_items, is_shell
from srcgrad.frontend.special_methods import asked, class_of_instance, type_name
from srcgrad.frontend.values import (
    GrownList,
    Slice,
    describe,
    is_array,
    is_integer,
    is_scalar,
    is_value,
    plain,
)
from srcgrad.ir.build import shape_text
from srcgrad.ir.nodes import Atom, Def, Var, atom
from srcgrad.ir.types import (
    Scalar,
    is_complex,
    is_float,
    is_int,
    np_dtype,
    real_dtype,
    same_dim,
    same_dims,
)
from srcgrad.ir.walk import walk
from srcgrad.primitives.memory import gather_dims

PARTS = ("real", "imag")  # of a complex number, in the order of `to_complex`


def store(it: Interpreter, target: Any, x: Any, value: Any) -> None:
    items = items_of(it, x, target.slice)
    change_items(it, x, target.value, lambda made: _put(it, made, items, value, target), target)


STORED = "store to an array, and copy that outside: a[:] = ..."


def _put(it: Interpreter, x: Any, items: list[Any], value: Any, node: Node) -> None:
    _put_by_kind(it, node, x, value, *items)


@by_kind
def _put_by_kind(it: Interpreter, node: Node, x: Any, value: Any, *places: Any) -> None:
    x = present(it, x, lambda: "'NoneType' object does not support item assignment")
    items = [as_index(it, i, node) for i in places_in(it, x, places, node)]
    if is_array(x):
        write(it, x, items, value, node)
    elif isinstance(x, list | dict):
        set_item(it, x, items, value, node)
    elif isinstance(x, GrownList) and len(items) == 1 and isinstance(items[0], Slice):
        put_slice(it, x, items[0], value, node)
    elif isinstance(x, GrownList):
        set_grown(it, x, items, value, node)
    elif asked(it, x, "__setitem__", [indexing.key_of(items), value], node) is NotImplemented:
        said = f"'{type_name(x)}' object does not support item assignment"
        if hasattr(class_of_instance(x), "__setitem__"):  # in C, or of a library
            it.refuse(node, f"items of {describe(x)} are not stored to in compiled code", STORED)
        it.wrong(node, said, TypeError)


@by_kind
def write(it: Interpreter, x: Var, items: list[Any], value: Any, node: Node) -> None:
    x, items = indexing.with_mask(it, x, items, node)
    items = expanded(it, x, items, node)
    advanced = any(is_array(i) for i in items)
    value = contents_for_numpy(it, array_of(value), node)
    value = stored_value(it, x, value, node, by_value=not advanced)
    if advanced:
        _write_advanced(it, x, items, value, node)
    elif all(is_integer(i) for i in items) and x.type.dims:
        places = indexing.places(it, x, items)
        if is_array(value):
            value = only_element(it, value, node)
        it.b.store(x, *places, value)
    else:
        whole = all(isinstance(i, Slice) and i.lower is i.upper is i.step is None for i in items)
        assign_array(it, x if whole else indexing.view(it, x, items, node), value)


def owner_of_part(it: Interpreter, node: Node) -> tuple[Any, str]:
    """The array of complex numbers of `z.real` or `z.imag`, and the part's name.

    The attribute itself without a name if `z` is something else; (None, "") for other nodes.
    """
    if not isinstance(node, gast.Attribute) or node.attr not in PARTS:
        return None, ""
    owner = it.operand(node.value)
    if is_array(owner) and is_complex(owner.type.dtype):
        return owner, node.attr
    return it.attribute(owner, node.attr, node), ""


def store_part(
    it: Interpreter, z: Var, name: str, items: list[Any], value: Any, node: Node, op: Any = None
) -> None:
    """`z.real[items] = value`, or `op=` it: the other part stays unchanged."""
    if isinstance(value, SEQUENCES):
        value = it.call_numpy(np.array, [value], {}, node)
    value = element(it, value, real_dtype(z.type.dtype), node)
    if not is_value(value):
        it.refuse(node, f"{describe(value)} cannot be stored in an array", like=TypeError)
    old = it.read(z, items, node)
    parts = {each: it.b(each, old) for each in PARTS}
    if op is not None:
        value = binary(it, op, parts[name], value, node)
    parts[name] = it.b.cast(value, Scalar(real_dtype(z.type.dtype)))
    write(it, z, items, it.b.to_complex(*(parts[each] for each in PARTS)), node)


def augment_part(
    it: Interpreter, z: Var, name: str, items: list[Any], node: gast.AugAssign
) -> None:
    """`z.real[items] op= value`."""
    start = len(it.b.out)
    value = it.operand(node.value)
    if any(isinstance(s, Def) and s.op.writes for s in walk(it.b.out[start:])):
        it.refuse(node, "the right side stores to memory", "compute it before")
    store_part(it, z, name, items, value, node.target, node.op)


def stored_value(it: Interpreter, x: Var, value: Any, node: Node, by_value: bool = True) -> Any:
    """A value with the dtype of the array that it is stored to.

    `by_value`: NumPy's numbers are converted as Python's: not where index arrays give the places.
    """
    value = element(it, value, x.type.dtype, node)
    if isinstance(value, SEQUENCES):
        items = items_in_dtype(it, value, x.type.dtype, node)
        dtype = {"dtype": np_dtype(x.type.dtype)} if is_int(x.type.dtype) else {}
        value = it.call_numpy(np.array, [items], dtype, node)
    if not is_value(value):
        it.refuse(node, f"{describe(value)} cannot be stored in an array", like=ValueError)
    have, want = atom(value).type.dtype, x.type.dtype
    if is_complex(have) and not is_complex(want):
        it.refuse(
            node, "a complex value cannot be stored in a real array",
            "store .real, .imag or abs() of it, or make the array complex: dtype=complex",
        )  # fmt: skip
    if is_array(value) and not value.type.dims:
        value, by_value = it.b.load(value), False
    return cast(it, value, Scalar(want), by_value)


def assign_array(it: Interpreter, target: Var, value: Any) -> None:
    """`target[...] = value`, as if the right side were copied first."""
    if is_array(value):
        value = fitting(it, value, target.type.dims)
        value = unaliased(it, value, target)
    it.b.assign(target, value)


def fitting(it: Interpreter, value: Var, a: tuple) -> Var:
    """The value with leading axes of length 1 dropped, checked to broadcast to the dims `a`."""
    v = value.type.dims
    pairs = list(zip(reversed(a), reversed(v), strict=False))
    if (
        len(v) <= len(a)
        and all(same_dim(m, n) or n == 1 for m, n in pairs if not isinstance(n, Var))
        and all(m is n or not isinstance(n, Var) for m, n in pairs)
        and all(not (isinstance(m, Var) and not isinstance(n, Var) and n != 1) for m, n in pairs)
    ):
        return value
    if not any(isinstance(d, Var) for d in (*a, *v)):
        fits = len(v) <= len(a) and all(n in (m, 1) for m, n in pairs)
        if not fits and not all(d == 1 for d in v[: max(len(v) - len(a), 0)]):
            raise ShapeError(
                f"could not broadcast input array from shape {shape_text(v)} "
                f"into shape {shape_text(a)}",
                it.b.loc,
            )
    it.b.check_assign(*a, *v, split=len(a))
    extra = len(v) - len(a)
    if extra > 0:
        spec = ("i",) * extra + (":",) * len(a)
        value = it.b.view(value, *([0] * extra), spec=spec)
    return value


def unaliased(it: Interpreter, value: Var, target: Var) -> Var:
    """A copy of the value unless it is known to live in another buffer than the target."""
    mine, other = root(it, value), root(it, target)
    if mine is not None and other is not None and mine is not other:
        return value
    return it.b.copy(value)


def root(it: Interpreter, v: Atom) -> Atom | None:
    """The variable of the buffer that `v` views, if its allocation is visible."""
    definition = it.definition(v)
    while definition is not None and definition.op.view:
        v = definition.args[0]
        definition = it.definition(v)
    return v if definition is not None else None


def _write_advanced(it: Interpreter, x: Var, items: list[Any], value: Any, node: Node) -> None:
    if not is_array(value) and (mask := _mask(it, x, items)) is not None:
        it.b.assign(x, it.b.where(mask, value, x))
        return
    base, idx, spec = gathered(it, x, items, node)
    if is_array(value):
        it.b.scatter(base, *idx, spread(it, value, base, idx, spec), spec=spec)
    else:
        it.b.scatter(base, *idx, value, spec=spec)


def _mask(it: Interpreter, x: Var, items: list[Any]) -> Var | None:
    """The only index, if it is a mask of the array's shape, which is checked."""
    mask = items[0]
    if len(items) > 1 or mask.type.dtype != "bool" or mask.type.ndim != x.type.ndim:
        return None
    check_mask(it, mask, x.type.dims)
    return mask


def spread(it: Interpreter, value: Var, base: Var, idx: list[Var], spec: tuple) -> Var:
    dims = gather_dims(base.type.dims, idx[0].type.dims, spec)
    if same_dims(value.type.dims, dims):
        return unaliased(it, value, base)
    return it.b.broadcast_to(fitting(it, value, dims), *dims)


# ---- augmented ----
def augment(it: Interpreter, node: gast.AugAssign) -> None:
    """`x[items] op= value`."""
    assert isinstance(node.target, gast.Subscript)
    x, name = owner_of_part(it, node.target.value)
    x = it.operand(node.target.value) if x is None else x
    items = items_of(it, x, node.target.slice)
    if name:
        augment_part(it, x, name, items, node)
    elif is_array(x) or is_shell(it, x):
        change_items(it, x, node.target.value, lambda v: _augment_array(it, node, v, *items), node)
    else:
        _augment_item(it, node, x, *items)


@by_kind
def _augment_item(it: Interpreter, node: gast.AugAssign, x: Any, *items: Any) -> None:
    """`x[items] op= value` of a container."""
    if is_array(x):
        _augment_array(it, node, x, *items)
        return
    old = subscript(it, x, [*items], node.target)
    new = it.augmented(node, old, it.operand(node.value))
    _put(it, x, [*items], new, node.target)


@by_kind
def _augment_array(it: Interpreter, node: gast.AugAssign, x: Var, *places: Any) -> None:
    x, given = indexing.with_mask(it, x, [as_index(it, i, node) for i in places], node)
    items = expanded(it, x, given, node)
    start, known = len(it.b.out), _known_before(it, node.value)
    value = it.operand(node.value)
    if any(isinstance(s, Def) and s.op.writes for s in walk(it.b.out[start:])):
        _augment_old(it, x, items, value, node, start, known)
    elif any(is_array(i) for i in items):
        _augment_advanced(it, x, items, value, node)
    elif all(is_integer(i) for i in items) and x.type.dims:
        _augment_element(it, x, indexing.places(it, x, items), value, node)
    else:
        in_place(it, node.op, indexing.view(it, x, items, node), value, node)


def _known_before(it: Interpreter, node: Node) -> dict:
    """The values that the builder knows before one is computed that may store to something."""
    calls = any(isinstance(n, gast.Call) for n in gast.walk(node))
    return dict(it.b.scopes[-1]) if calls else {}


def _augment_old(
    it: Interpreter, x: Var, items: list[Any], value: Any, node: gast.AugAssign, start: int,
    known: dict,
) -> None:  # fmt: skip
    """`x[items] op= value` where computing the value stores: the old one is read before."""
    later, now = it.b.out[start:], it.b.scopes[-1]
    del it.b.out[start:]
    it.b.scopes[-1] = known
    view = all(isinstance(i, Slice) or is_integer(i) or i is None for i in items)
    if view and not (all(is_integer(i) for i in items) and x.type.dims):
        old: Any = indexing.view(it, x, items, node)
    else:
        old = it.read(x, items, node)
    it.b.out += later
    it.b.scopes[-1] = {**known, **now}
    if view and is_array(old):
        in_place(it, node.op, old, value, node)
    else:
        write(it, x, items, binary(it, node.op, old, value, node), node)


@by_kind
def _augment_element(
    it: Interpreter, x: Var, places: list[Any], value: Any, node: gast.AugAssign
) -> None:
    if is_array(value):
        value = only_element(it, value, node)
    if is_float(x.type.dtype) and isinstance(node.op, gast.Add | gast.Sub) and is_scalar(value):
        value = stored_value(it, x, value, node)
        value = value if isinstance(node.op, gast.Add) else it.b.neg(value)
        it.b.add_at(x, *places, value)
        return
    old = it.b.load(x, *places)
    new = binary(it, node.op, old, value, node)
    it.b.store(x, *places, stored_value(it, x, new, node))


@by_kind
def _augment_advanced(
    it: Interpreter, x: Var, items: list[Any], value: Any, node: gast.AugAssign
) -> None:
    value = operand_in_place(it, value, node)
    if is_scalar(value) and (mask := _mask(it, x, items)) is not None:
        new = _in_kind(it, node.op, x, value, node)
        it.b.assign(x, it.b.where(mask, stored_value(it, x, new, node), x))
        return
    base, idx, spec = gathered(it, x, items, node)
    old = it.b.gather(base, *idx, spec=spec)
    new = stored_value(it, x, _in_kind(it, node.op, old, value, node), node)
    it.b.scatter(base, *idx, spread(it, new, base, idx, spec), spec=spec)


@by_kind
def in_place(it: Interpreter, op: Any, x: Var, value: Any, node: Node) -> None:
    """`x op= value` on a whole array or view: NumPy's in-place operator."""
    value = contents_for_numpy(it, array_of(operand_in_place(it, value, node)), node)
    if isinstance(value, SEQUENCES):
        value = it.call_numpy(np.array, [value], {}, node)
    if isinstance(op, gast.MatMult):
        _fits_product(it, x, value, node)
    elif is_array(value) and value.type.ndim > x.type.ndim:
        raise ShapeError(
            f"non-broadcastable output operand with shape {shape_text(x.type.dims)} doesn't match "
            f"the broadcast shape {shape_text(value.type.dims)}",
            it.b.loc,
        )
    if is_float(x.type.dtype) and isinstance(op, gast.Add | gast.Sub) and is_value(value):
        if is_complex(atom(value).type.dtype) and not is_complex(x.type.dtype):
            it.refuse(
                node, "a complex value cannot be added to a real array in place", like=TypeError
            )
        value = stored_value(it, x, value, node)
        if is_array(value):
            value = fitting(it, value, x.type.dims)
            value = value if isinstance(op, gast.Sub) else unaliased(it, value, x)
        value = value if isinstance(op, gast.Add) else it.b.neg(value)
        it.b.add_to(x, value)
        return
    assign_array(it, x, stored_value(it, x, _in_kind(it, op, x, value, node), node))


def _fits_product(it: Interpreter, x: Var, value: Any, node: Node) -> None:
    """Checks that `x @= value` gives an array of the same shape, without broadcasting."""
    if not x.type.dims or not is_array(value) or value.type.ndim < 2:
        it.wrong(
            node, "inplace matrix multiplication requires the first operand to have at least one "
            "and the second at least two dimensions", ValueError,
        )  # fmt: skip
    if value.type.ndim > max(x.type.ndim, 2):
        it.wrong(node, "output operand requires a reduction, which is not enabled", ValueError)
    unlike = plain(it.b.ne(value.type.dims[-1], x.type.dims[-1]))
    said = "matmul: Output operand 0 has a mismatch in its core dimension 1"
    it.fail_if(unlike, "ValueError", said)


def _in_kind(it: Interpreter, op: Any, old: Var, value: Any, node: Node) -> Any:
    """The result of NumPy's in-place operator: refused where that is of another kind."""
    new = binary(it, op, old, value, node)
    name = PRIMITIVE.get(type(op).__name__, "power")
    check_same_kind(it, node, name, atom(new).type.dtype, old.type.dtype)
    return new
