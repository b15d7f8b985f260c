"""`vmap` in compiled code: a loop over the items, in which the function is inlined.

Items are views of the arguments, results are stored to arrays that are made before the loop. Where
their lengths do not follow from those of the arguments, the first item is computed before the loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.frontend.handlers.creation import is_length
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.instances import entered, opened
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.kinds import Kind, kind_of
from srcgrad.frontend.requirements import RestartTracing
from srcgrad.frontend.returned import taken_apart
from srcgrad.frontend.texts import literal
from srcgrad.frontend.trees import function_at
from srcgrad.frontend.values import Closure, Known, is_value, ndim, plain
from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Atom, Const, Def, Function, Stmt, Var, atom
from srcgrad.ir.types import Scalar, atom_dims, is_reference, same_dim
from srcgrad.ir.walk import defined, free_variables, results, walk
from srcgrad.primitives import memory
from srcgrad.transforms.batched import (
    EMPTY,
    KINDS,
    MAPPED,
    SHAPES,
    SIZES,
    Batched,
    Given,
    axes_of,
    of_result,
)
from srcgrad.transforms.vmap import vmap
from srcgrad.tree import Leaf, form_of, leaves, spelled

LOOP = """\
def vmap(item, first, last, shared):
    for k in range(first, last):
        item(k)
"""


@implements(vmap)
def _vmap(it: Interpreter, node: Node, fn: Any, in_axes: Known = 0, out_axes: Known = 0) -> Batched:
    return Batched(fn, in_axes, out_axes)


def batched(owner: Batched, it: Interpreter, args: list, kwargs: dict, node: Node) -> Any:
    """Emits the loop of a call, and returns its results."""
    parts = [opened(it, v, node) for v in args]
    named = {n: opened(it, v, node) for n, v in kwargs.items()}
    with _located(it):
        given = owner.given(parts, named, _rank)
    whole = {**dict(enumerate(args)), **kwargs}
    shared = {g.key: whole[g.key] for g in given if g.shared}
    return _Batch(owner, it, node, given, shared).value()


@contextmanager
def _located(it: Interpreter) -> Iterator[None]:
    """Gives the errors of a wrong call the place of the call."""
    try:
        yield
    except (ArgumentTypeError, ArgumentValueError) as e:
        raise type(e)(e.reason, e.location or it.b.loc, e.way_out) from None


class _Batch:
    """One call; it is itself the function that computes an item, which the loop calls."""

    def __init__(
        self, owner: Batched, it: Interpreter, node: Node, given: list[Given], shared: dict
    ):
        self.function, self.out_axes = owner.function, owner.out_axes
        self.it, self.node, self.given = it, node, given
        self.shared = shared  # the arguments that all items get as they are
        self.size = self._size()
        alike = None in leaves(owner.out_axes)
        self.first = alike or self._place() in it.captures.required.first_items
        self.items: list[Any] = []  # the arguments of the item interpreted last
        self.template: Any = None  # of the results
        self.results: Any = None  # in place of its leaves
        self.shown: dict[int, set[Var]] = {}  # what results without an axis are made of
        self.ahead: list[Stmt] = []  # the statements before the loop that make them

    def value(self) -> Any:
        """Emits the loop, and returns the results."""
        it = self.it
        if self.first:
            self._refuse_empty()
            it.call(self, [0], {}, self.node)
        start, size = len(it.b.out), plain(atom(self.size))
        loop = Closure(function_at(self.node, LOOP), it.env, [], [], it.frame, "vmap")
        it.call(loop, [self, int(self.first), size, list(self.shared.values())], {}, self.node)
        it.b.out[start:start] = self.ahead
        if self.results is None:  # every item raises
            self._refuse_empty()
            it.call(self, [0], {}, self.node)
        return entered(it, self.template, self.node, self._at)

    def _at(self, leaf: Any) -> Any:
        return self.results[leaf.k] if isinstance(leaf, Leaf) else leaf

    def _refuse_empty(self) -> None:
        self.it.fail_if(plain(self.it.b.eq(self.size, 0)), "ValueError", EMPTY)

    def _place(self) -> tuple:
        node: Any = self.node
        return (self.it.frame.source.file, node.lineno, node.col_offset)

    def _size(self) -> Any:
        """The number of items, which all mapped axes are checked to have."""
        it = self.it
        (axis, name, n), *others = [
            (axis, spelled(path), v.type.dims[axis])
            for g in self.given for (path, v), axis in zip(g.paths(), g.axes, strict=True)
            if axis is not None
        ]  # fmt: skip
        for other, its_name, m in others:
            if same_dim(n, m):
                continue
            if not isinstance(n, Var) and not isinstance(m, Var):
                it.fail("ValueError", literal(SIZES.format(axis, name, n, other, its_name, m)))
            text = SIZES.format(axis, literal(name), "{}", other, literal(its_name), "{}")
            it.b.check_equal(n, m, kind="ValueError", message=text)
        return n

    # ---- items ----
    def srcgrad_inline(self, it: Interpreter, args: list, kwargs: dict, node: Node) -> None:
        """Emits the item of a number, and stores its results."""
        (k,) = args
        start = len(it.b.out)
        template, atoms = self._computed(k)
        axes = self._axes(template, atoms)
        if self.results is None or (isinstance(k, Var) and not self.first):
            self.template, self.results = template, self._made(k, atoms, axes)
        elif _form(template) != _form(self.template):
            it.refuse(node, KINDS, "return one structure for every item")
        each = zip(self.results, atoms, axes, strict=True)
        for number, (result, a, axis) in enumerate(each):
            if axis is not None:
                self._store(result, a, axis, k)
            elif self._may_differ(number, a, k, it.b.out[start:]):
                raise ArgumentValueError(MAPPED, it.b.loc, "return it with an axis, and take one")

    def _may_differ(self, number: int, a: Atom, k: Any, block: list[Stmt]) -> bool:
        """Whether a result may be another one for another item: it depends on the item, or on what
        items pass on to one another.
        """
        outside, inside = _read(a, block)
        if _stores_to(outside, block):
            return True
        if isinstance(k, Var):  # an item of the loop may find what the first one has computed
            return not outside <= self.shown.get(number, outside)
        self.shown[number] = outside | inside
        return _depends(a, self.items, block)

    def _computed(self, k: Any) -> tuple[Any, list[Atom]]:
        """The template of an item's results, and the leaves."""
        it, loc = self.it, self.it.b.loc
        self.items = []
        values = {g.key: self._item(g, k) for g in self.given}
        args = [v for key, v in values.items() if isinstance(key, int)]
        named = {key: v for key, v in values.items() if isinstance(key, str)}
        made = it.call(self.function, args, named, self.node)
        atoms: list[Atom] = []
        template = taken_apart(it, made, atoms, it.frame.source)
        it.b.loc = loc
        return template, [it.b.value(a) for a in atoms]

    def _item(self, g: Given, k: Any) -> Any:
        """An argument of an item."""
        if g.key in self.shared:
            return self.shared[g.key]
        axes = iter(g.axes)

        def at(leaf: Any) -> Any:
            axis = next(axes)
            if axis is None:
                return leaf
            self.items.append(_part(self.it, leaf, axis, k))
            return self.items[-1]

        return entered(self.it, g.value, self.node, at)

    # ---- results ----
    def _axes(self, template: Any, atoms: list[Atom]) -> list[int | None]:
        """The new axis of each result that is a number or an array."""

        def rank(leaf: Any) -> int | None:
            return ndim(atoms[leaf.k]) if isinstance(leaf, Leaf) else None

        with _located(self.it):
            found = axes_of(self.out_axes, template, "out_axes", (), of_result(rank))
        placed = zip(leaves(template), found, strict=True)
        return [axis for v, axis in placed if isinstance(v, Leaf)]

    def _made(self, k: Any, atoms: list[Atom], axes: list[int | None]) -> list[Any]:
        """The arrays of the results; in a loop they are made before it."""
        b, self.ahead = self.it.b, []
        shapes = [[self._length(d, k) for d in atom_dims(a)] for a in atoms]
        inside = b.out
        if isinstance(k, Var):
            self._move(k, [d for dims in shapes for d in dims if isinstance(d, Var)])
            b.out = self.ahead
        made = [
            plain(a) if axis is None else self._array(a, [*dims[:axis], self.size, *dims[axis:]])
            for a, dims, axis in zip(atoms, shapes, axes, strict=True)
        ]
        b.out = inside
        return made

    def _array(self, a: Atom, dims: list[Any]) -> Any:
        it = self.it
        made = it.b.empty(*dims, dtype=a.type.dtype, name="results")
        kind = kind_of(it, a) if isinstance(a, Var) else Kind.ARRAY
        if kind is not Kind.ARRAY:
            it.captures.meet_tensor(made, kind)
        return made

    def _length(self, d: Any, k: Any) -> Any:
        """A length as it is before the loop, where no item has refused a negative one."""
        known = not isinstance(d, Var) or not isinstance(k, Var) or is_length(self.it, d)
        return d if known else self.it.b.dim(self.it.b.maximum(d, 0))

    def _move(self, k: Var, lengths: list[Var]) -> None:
        """Moves the computation of lengths from the loop to the statements before it.

        Those that need what an item computes make it start again with the first item there.
        """
        it, body = self.it, self.it.b.out
        inside = {k, *it.carried[k], *defined(tuple(body))}
        made = {s.var: s for s in body if isinstance(s, Def)}
        moved: set[Var] = set()
        todo = [d for d in lengths if d in inside]
        while todo:
            v = todo.pop()
            s = made.get(v)
            if s is None or not _is_of_lengths(s):
                it.captures.required.first_items.add(self._place())
                raise RestartTracing("the results of vmap have lengths that an item computes")
            moved.add(v)
            todo += [a for a in s.args if isinstance(a, Var) and a in inside and a not in moved]
        self.ahead = [s for s in body if isinstance(s, Def) and s.var in moved]
        body[:] = [s for s in body if not (isinstance(s, Def) and s.var in moved)]

    def _store(self, result: Var, a: Atom, axis: int, k: Any) -> None:
        """Stores a result of an item at its place; its lengths must be those of the others."""
        b, dims = self.it.b, list(atom_dims(a))
        if (result.type.ndim, result.type.dtype) != (len(dims) + 1, a.type.dtype):
            self.it.refuse(
                self.node, "the items of vmap have results of different dtypes or ranks",
                "return results of one dtype and rank for every item",
            )  # fmt: skip
        if not dims:
            b.store(result, k, a)
            return
        spec, places = [], []
        for j, n in enumerate(result.type.dims):
            if j == axis:
                spec.append("i")
                places.append(k)
                continue
            d = dims.pop(0)
            same = same_dim(d, n)
            spec.append(":" if same else "s")
            places += [] if same else [0, d, 1]
            if not same and (self.first or not isinstance(k, Var)):
                b.check_equal(n, d, kind="ValueError", message=SHAPES.format("{}", "{}", j))
        b.assign(b.view(result, *places, spec=tuple(spec)), a)


def _rank(v: Any) -> int | None:
    """The rank of a number or an array; None for anything else."""
    return ndim(v) if is_value(v) else None


def _form(template: Any) -> tuple:
    """The structure of results, and which of its leaves are None."""
    return form_of(template), [v is None for v in leaves(template)]


def _part(it: Interpreter, x: Var, axis: int, k: Any) -> Any:
    """The k-th part of an array along an axis."""
    if x.type.ndim == 1:
        return it.b.load(x, k)
    spec = [":"] * x.type.ndim
    spec[axis] = "i"
    return it.b.view(x, k, spec=tuple(spec))


def _is_of_lengths(s: Def) -> bool:
    """Whether a statement is arithmetic of numbers that raises nothing."""
    numbers = all(isinstance(a.type, Scalar) for a in (s.var, *s.args) if a is not None)
    if not numbers or not s.op.cheap:
        return False
    by = s.args[-1]  # a divisor, or the step of a range
    divides = (s.op.elementwise or s.op is memory.trips) and isinstance(by, Const) and by.value != 0
    return divides or not s.op.raises


def _read(a: Atom, block: list[Stmt]) -> tuple[set[Var], set[Var]]:
    """The variables a value is computed from: those of before a block, and those it defines."""
    made = {v: s for s in block for v in results(s)}
    todo, outside, inside = [a], set[Var](), set[Var]()
    while todo:
        v = todo.pop()
        if not isinstance(v, Var) or v in outside or v in inside:
            continue
        if v in made:
            inside.add(v)
            todo += free_variables((made[v],))
        else:
            outside.add(v)
    return outside, inside


def _stores_to(variables: set[Var], block: list[Stmt]) -> bool:
    """Whether a block stores to the memory of one of the variables."""
    aliases = AliasClasses(Function("item", (), tuple(block), ()))
    return any(is_reference(v.type) and not aliases.is_pure(v) for v in variables)


def _depends(a: Atom, given: list[Any], block: list[Stmt]) -> bool:
    """Whether a value, or its memory, may depend on given ones after a block."""
    aliases = AliasClasses(Function("item", (), tuple(block), ()))
    found: set[Atom] = set(given)
    classes: set[Var] = set()

    def depends(v: Atom) -> bool:
        return v in found or (is_reference(v.type) and aliases.of(v) in classes)

    before = -1
    while before != (before := len(found) + len(classes)):
        for s in block:
            if any(map(depends, free_variables((s,)))):
                found.update(results(s))
                stores = [d for d in walk((s,)) if isinstance(d, Def) and d.op.writes]
                classes.update(aliases.of(d.args[0]) for d in stores)
    return depends(a)
