"""The builder: emits typed statements, folds constants, shares repeated scalars.

Promotion (NEP 50), casts and the dims of a broadcast are decided here and nowhere else.
The table of primitives is passed in: the IR does not know it. Never moves a statement.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterable, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache, reduce
from typing import Any, ClassVar

import numpy as np

from srcgrad import interrupts
from srcgrad.errors import Location, ShapeError, UnsupportedError
from srcgrad.ir.nodes import Atom, Const, Def, Stmt, Var, atom
from srcgrad.ir.rows import Rows
from srcgrad.ir.types import (
    BOOL,
    INT,
    PYTHONS,
    Array,
    Dim,
    Dims,
    RefTape,
    Scalar,
    Tape,
    Tuple,
    Type,
    constant_type,
    is_complex,
    is_float,
    is_int,
    np_dtype,
    promoted,
    same_dim,
    short_dtype,
)
from srcgrad.operation import Params, Primitive, Stated

Atoms = tuple[Atom, ...]
Op = Primitive | str  # or its name


class Builder(Rows):
    """Collects the statements of the open block; `scope` shares scalars by value."""

    def __init__(self, table: Mapping[str, Primitive]):
        self.table = table
        self.out: list[Stmt] = []
        self.entry: list[Stmt] = []  # statements that precede all others
        self.scopes: list[dict[Hashable, Any]] = [{}]  # by the hash of a computation: it, its value
        self.definition: dict[Var, Def] = {}
        self.loc: Location | None = None

    @contextmanager
    def block(self) -> Generator[list[Stmt]]:
        """Opens a nested block and yields the list that its statements go to."""
        outer, self.out = self.out, []
        self.scopes.append({})
        try:
            yield self.out
        finally:
            self.out = outer
            self.scopes.pop()

    def append(self, statement: Stmt) -> None:
        interrupts.answer()
        self.out.append(statement)

    # ---- emission ----
    def __call__(
        self, op: Op, *args: Any, name: str = "", weak: bool | None = None, **params: Any
    ) -> Any:
        """Emits `op`; the result is an atom (None for an effect).

        `weak`: whether a scalar result of an elementwise operation is a Python number: functions of
        math return these, those of NumPy never do. By default it is one if all operands are.
        """
        if isinstance(op, str):
            op = self.table[op]
        atoms = tuple([atom(a) for a in args])
        if op.elementwise:
            return self._elementwise(op, atoms, params, name, weak)
        if op.effect:
            self.append(Def(None, op, atoms, params, self.loc))
            return None
        return self._define(op, atoms, params, self._type_of(op, atoms, params), name)

    def _type_of(self, op: Primitive, args: Atoms, params: Params) -> Type:
        if args and not isinstance(args[0].type, Tuple):
            self._refuse_order(op, args[0].type.dtype)
        assert op.typing is not None, op.name
        stated: Tape | RefTape | Stated | list[Stated] = op.typing(self, *args, **params)
        match stated:
            case Tape() | RefTape():
                return stated
            case list():
                return Tuple(tuple(map(_type, stated)))
            case _:
                return _type(stated)

    def _define(self, op: Primitive, args: Atoms, params: Params, type: Type, name: str) -> Atom:
        key, number = None, 0
        if isinstance(type, Scalar) and not _reads_memory(args):
            reduced = folded(op, args, params, type)
            if reduced is not None:
                return reduced
            key = (op.name, args, repr(params), type)
            number = hash(key)
            for scope in reversed(self.scopes):
                found = scope.get(number)
                if found is not None and found[0] == key:
                    return found[1]
        var = Var(name or op.name, type)
        definition = Def(var, op, args, params, self.loc)
        self.append(definition)
        self.definition[var] = definition
        if key is not None:
            self.scopes[-1][number] = key, var
        return var

    def _elementwise(
        self, op: Primitive, args: Atoms, params: Params, name: str, weak: bool | None = None
    ) -> Atom:
        if len(args) != op.arity:
            raise TypeError(f"{op.name} takes {op.arity} arguments, not {len(args)}")
        args = tuple([self.value(a) for a in args])
        first = int(op.selects)
        joined = promoted([a.type for a in args[first:]])
        self._refuse_order(op, joined.dtype)
        converts = "dtype" in params
        result = Scalar(params["dtype"]) if converts else result_type(op, joined)
        if not converts:
            # between real and complex numbers operands keep their kind: abs, real, to_complex
            crossing = is_complex(joined.dtype) != is_complex(result.dtype)
            widens = joined.dtype == "bool" and is_int(result.dtype)
            operand = result if widens or (is_float(result.dtype) and not crossing) else joined
            conditions = [self.cast(a, BOOL) for a in args[:first]]
            args = (*conditions, *[self._operand(a, operand) for a in args[first:]])
        shapes = [a.type.dims for a in args if isinstance(a.type, Array)]
        if not shapes:
            if weak is not None and result.dtype in PYTHONS:
                result = Scalar(result.dtype, weak)
            return self._define(op, args, params, result, name)
        dims = self.broadcast(shapes)
        return self._define(op, args, params, Array(result.dtype, dims), name)

    def _operand(self, a: Atom, target: Scalar) -> Atom:
        """`a` cast for arithmetic; a Python integer that does not fit is refused, as by NumPy."""
        if isinstance(a, Const) and a.type.dtype == "i64" and is_int(target.dtype):
            limits = np.iinfo(np_dtype(target.dtype))
            if not limits.min <= a.value <= limits.max:
                raise TypeError(f"the integer {a.value} is out of bounds for {target.dtype}")
        return self.cast(a, target)

    # ---- values ----
    def value(self, a: Atom) -> Atom:
        """A scalar or an array of at least one dim: the element of a 0-d array is loaded.

        A variable that a number is copied to is read as that number.
        """
        if isinstance(a.type, Array) and not a.type.dims:
            return self.load(a)
        made = self.definition.get(a) if isinstance(a, Var) else None
        if made is None or made.op is not self.table["cast"] or not isinstance(a.type, Scalar):
            return a
        number = made.args[0]
        if isinstance(number, Const) and number.type.dtype == a.type.dtype:
            return Const(number.value, a.type)
        return a

    def cast(self, a: Any, target: Scalar) -> Atom:
        """`a` with the dtype of `target`; constants are converted immediately."""
        a = atom(a)
        if a.type.dtype == target.dtype:
            return Const(a.value, target) if isinstance(a, Const) else a
        self._refuse_real_of_complex(a, target)
        if isinstance(a, Const):
            with np.errstate(all="ignore"):
                return Const(np.asarray(a.value).astype(np_dtype(target.dtype)).item(), target)
        args, params = (a,), {"dtype": target.dtype}
        if isinstance(a.type, Array):
            return self._define(
                self.table["cast"], args, params, Array(target.dtype, a.type.dims), ""
            )
        return self._define(self.table["cast"], args, params, target, "")

    def retyped(self, a: Any, target: Scalar, name: str = "") -> Atom:
        """A scalar cast to `target`, also where only weak and strong differ."""
        a = atom(a)
        if a.type == target or isinstance(a, Const):
            return self.cast(a, target)
        self._refuse_real_of_complex(a, target)
        return self._define(self.table["cast"], (a,), {"dtype": target.dtype}, target, name)

    def own(self, a: Any) -> Var:
        """A scalar copied to a variable of its own, which no other definition shares."""
        a = atom(a)
        var = Var(a.name if isinstance(a, Var) else "number", Scalar(a.type.dtype))
        self.definition[var] = Def(var, self.table["cast"], (a,), {"dtype": a.type.dtype}, self.loc)
        self.append(self.definition[var])
        return var

    def _refuse_real_of_complex(self, a: Atom, target: Scalar) -> None:
        if is_complex(a.type.dtype) and not is_complex(target.dtype) and target.dtype != "bool":
            raise UnsupportedError(
                "a complex number cannot be made a real one: NumPy would drop the imaginary part",
                self.loc,
                "take .real, .imag or abs()",
            )

    def _refuse_order(self, op: Primitive, dtype: str) -> None:
        if is_complex(dtype) and op.ordered:
            raise UnsupportedError(
                f"complex numbers have no order, so no {op.name}",
                self.loc,
                "compare their parts, or abs()",
            )

    def is_const(self, a: Any, value: int) -> bool:
        return not isinstance(a, Var) and (a.value if isinstance(a, Const) else a) == value

    # ---- types that rows of the table name ----
    tape_type: ClassVar[Callable[..., Tape]] = staticmethod(Tape)
    reftape_type: ClassVar[Callable[..., RefTape]] = staticmethod(RefTape)

    # ---- dims ----
    def dim(self, a: Atom | int) -> Dim:
        """An atom as a dim: an int or a variable."""
        return int(a.value) if isinstance(a, Const) else a

    def dims(self, atoms: Iterable[Atom | int]) -> Dims:
        return tuple(self.dim(a) for a in atoms)

    def total(self, dims: Iterable[Dim]) -> Dim:
        return self.dim(reduce(lambda a, b: self.add(a, b), map(atom, dims)))

    def size(self, dims: Iterable[Dim]) -> Dim:
        return self.dim(reduce(lambda a, b: self.mul(a, b), map(atom, dims), atom(1)))

    def never_one(self, dim: Dim) -> bool:
        """Whether a dim is known not to broadcast: axes of parameters are specialised on that."""
        if not isinstance(dim, Var):
            return dim != 1
        definition = self.definition.get(dim)
        if definition is None:
            return False
        if definition.op is self.table["broadcast_dim"]:
            return any(self.never_one(self.dim(a)) for a in definition.args)
        return definition.op is self.table["dim"] and "may_be_one" not in definition.params

    def broadcast(self, shapes: Sequence[Dims]) -> Dims:
        """The dims of NumPy's broadcast; lengths not known to fit are checked at run time."""
        return reduce(self._broadcast_two, shapes)

    def _broadcast_two(self, a: Dims, b: Dims) -> Dims:
        out: list[Dim | tuple[Dim, Dim]] = []
        unsure = False
        longer = a if len(a) >= len(b) else b
        for k in range(1, len(longer) + 1):
            if k > min(len(a), len(b)):
                out.append(longer[-k])
                continue
            m, n = a[-k], b[-k]
            if same_dim(m, n) or (not isinstance(n, Var) and n == 1):
                out.append(m)
            elif not isinstance(m, Var) and m == 1:
                out.append(n)
            elif not isinstance(m, Var) and not isinstance(n, Var):
                raise ShapeError(
                    "operands could not be broadcast together with shapes "
                    f"{shape_text(a)} {shape_text(b)}",
                    self.loc,
                )
            else:
                unsure = True
                out.append((m, n))
        if unsure:
            self.check_broadcast(*a, *b, split=len(a))
        return tuple(self._joined_dim(*d) if isinstance(d, tuple) else d for d in reversed(out))

    def _joined_dim(self, m: Dim, n: Dim) -> Dim:
        if self.never_one(m):
            return m
        if self.never_one(n):
            return n
        return self.dim(self.broadcast_dim(m, n))


def shape_text(dims: Dims) -> str:
    """A shape as NumPy prints it: (3,) or (3,4)."""
    inner = ",".join(str(d) for d in dims)
    return f"({inner},)" if len(dims) == 1 else f"({inner})"


def _type(stated: Stated) -> Type:
    """The type for the dtype, the dims and, for a buffer, the layout that a row states."""
    dtype, dims, *layout = stated
    if dtype == "int":
        return INT
    if not dims and not layout:
        return Scalar(dtype)
    return Array(dtype, tuple(dims), *layout)


def _reads_memory(args: Atoms) -> bool:
    return any([not isinstance(a.type, Scalar) for a in args])


def _probe(op: Primitive, dtype: str) -> str:
    """The dtype NumPy gives `op` on operands that all have `dtype`."""
    ones = [np.ones((), np_dtype(dtype))] * op.arity
    if op.selects:
        ones = [np.ones((), bool), *ones[1:]]
    with np.errstate(all="ignore"):
        out = short_dtype(np.asarray(op.impl(*ones, **dict.fromkeys(op.params, 2))).dtype)
    assert out is not None
    return out


@lru_cache(maxsize=4096)
def result_type(op: Primitive, joined: Scalar) -> Scalar:
    """The type of an elementwise result, its operands promoted to `joined`."""
    try:
        dtype = _probe(op, joined.dtype)
    except TypeError as e:
        raise TypeError(f"{op.name} is not defined for {joined.dtype}: {e}") from None
    if joined.weak:
        return constant_type(np_dtype(dtype).type(0).item())
    return Scalar(dtype)


def folded(op: Primitive, args: Atoms, params: Params, type: Scalar) -> Atom | None:
    """The atom that a scalar operation of type `type` reduces to; None if it must be emitted."""
    reduced = op.identity(*args) if op.identity is not None else None
    if isinstance(reduced, int):
        return Const(reduced, type)
    if reduced is not None and reduced.type == type:
        return reduced
    constants = [a for a in args if isinstance(a, Const)]
    if isinstance(reduced, Const) and reduced.type.dtype == type.dtype:
        # n + i64(0) is strong although n may be weak: only a constant can be retyped
        return Const(reduced.value, type)
    return _evaluate(op, constants, params, type) if len(constants) == len(args) else None


def _evaluate(op: Primitive, args: Sequence[Const], params: Params, type: Scalar) -> Const | None:
    """The constant that an operation on constants gives; None if it must run at run time."""
    if op.kept or (op.raises and args[-1].value == 0):  # a division by it raises at run time
        return None
    values = [a.value if a.type.weak else np_dtype(a.type.dtype).type(a.value) for a in args]
    try:
        with np.errstate(all="ignore"):
            out = op.impl(*values, **params)
    except (ArithmeticError, ValueError, IndexError):
        return None
    return Const(np.asarray(out).astype(np_dtype(type.dtype)).item(), type)
