"""Spells primitives in NumPy's Python; one without a spelling is called by its name.

Never decides which definitions nest: operands arrive as texts with their precedence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from srcgrad.ir.nodes import Atom, Const, Def, Var
from srcgrad.ir.text import constant
from srcgrad.ir.types import INT, Array, Dim, Dims, Scalar, np_dtype, same_dims
from srcgrad.printing.calls import AXES, called
from srcgrad.printing.header import Header, literal
from srcgrad.records import record

# Python's precedence, loosest first
TERNARY, OR, AND, NOT, COMPARE, BITOR, XOR, BITAND, SHIFT, SUM, PRODUCT, SIGN, POWER, ATOM = range(
    14
)

BINARY = {
    "add": ("+", SUM), "sub": ("-", SUM), "mul": ("*", PRODUCT), "div": ("/", PRODUCT),
    "absorb": ("*", PRODUCT), "floordiv": ("//", PRODUCT), "mod": ("%", PRODUCT),
    "matmul": ("@", PRODUCT), "matvec": ("@", PRODUCT), "pow": ("**", POWER),
    "bit_and": ("&", BITAND),
    "bit_or": ("|", BITOR), "bit_xor": ("^", XOR),
    "shift_left": ("<<", SHIFT), "shift_right": (">>", SHIFT),
    "lt": ("<", COMPARE), "le": ("<=", COMPARE), "gt": (">", COMPARE), "ge": (">=", COMPARE),
    "eq": ("==", COMPARE), "ne": ("!=", COMPARE),
}  # fmt: skip
WORDS = {"logical_and": ("and", AND), "logical_or": ("or", OR)}
UNARY = {"neg": ("-", SIGN), "invert": ("~", SIGN)}


@record(frozen=True)
class Text:
    """An expression and how tightly it binds."""

    text: str
    binds: int = ATOM

    def within(self, binds: int) -> str:
        """The expression as an operand of an operator that binds with this precedence."""
        return self.text if self.binds >= binds else f"({self.text})"


class Speller:
    """Spells definitions and atoms; `name` gives the name of a variable that has one."""

    def __init__(
        self, name: Callable[[Var], str], folded: dict[Var, Def], definitions: dict[Var, Def],
        arrays: set[Var], header: Header, exact: bool,
    ):  # fmt: skip
        self._name = name
        self._folded = folded
        self._definitions = definitions
        self._arrays = arrays  # tapes that are plain arrays to a reader
        self._header = header
        self._exact = exact
        self._spelled: list[Def] = []

    def __call__(self, a: Atom | int) -> Text:
        match a:
            case Var():
                d = self._folded.get(a)
                return Text(self._name(a)) if d is None else self.definition(d)
            case Const():
                text = _literal(a)
                return Text(text, SIGN if text.startswith("-") else ATOM)
            case _:
                return Text(str(a))

    def plain(self, a: Atom | int) -> str:
        return self(a).text

    def listed(self, atoms: Iterable[Atom | int]) -> str:
        return ", ".join(self.plain(a) for a in atoms)

    def taken(self) -> tuple[Def, ...]:
        """The definitions spelled since the last call, the innermost last."""
        found, self._spelled = tuple(dict.fromkeys(self._spelled)), []
        return found

    def definition(self, d: Def) -> Text:
        self._spelled.append(d)
        name, args = d.op.name, d.args
        scalars = all(not isinstance(a, Var) or isinstance(a.type, Scalar) for a in args)
        if name in BINARY and not (name == "absorb" and self._exact):
            return self.operation(d)
        if name in WORDS and scalars:
            return self.joined(*WORDS[name], self(args[0]), self(args[1]))
        if name in UNARY:
            sign, binds = UNARY[name]
            return Text(sign + self(args[0]).within(binds), binds)
        special = getattr(self, f"_{name}", None)
        text = special(d) if special is not None else None
        if isinstance(text, Text):
            return text
        return Text(text or self._called(d, name in AXES))

    def operation(self, d: Def) -> Text:
        """An operator; adding zero to a number, or multiplying it by one, is not written."""
        a, b = (self.bare(o, d) for o in d.args)
        number = d.var is not None and isinstance(d.var.type, Scalar)  # an array is a new one
        match d.op.name, a, b:
            case ("add", Const(value=0), _) | (("mul" | "absorb"), Const(value=1), _) if number:
                return self(b)
            case ("add", _, Const(value=0)) | (("mul" | "absorb"), _, Const(value=1)) if number:
                return self(a)
            case "add", _, Var() if (turned := self._folded.get(b)) and turned.op.name == "neg":
                return self.joined("-", SUM, self(a), self(turned.args[0]))
            case _:
                return self.joined(*BINARY[d.op.name], self(a), self(b))

    def joined(self, sign: str, binds: int, left: Text, right: Text) -> Text:
        tight = sign == "**" or binds == COMPARE  # these do not nest from the left
        first = left.within(binds + 1 if tight else binds)
        return Text(f"{first} {sign} {right.within(binds + 1)}", binds)

    def bare(self, a: Atom, d: Def) -> Atom:
        """An operand of `d` without the broadcasts and casts that NumPy applies by itself."""
        inner = self._folded.get(a) if isinstance(a, Var) else None
        if inner is None:
            return a
        others = [o.type for o in d.args if o is not a and not self._spread(o)]
        match inner.op.name, inner.args:
            case "mul", (x, Const(value=1)) | (Const(value=1), x) if x.type == a.type:
                return self.bare(x, d)
            case "broadcast_to", (x, *_) if d.op.name != "matmul":
                alike = any(isinstance(t, Array) and same_dims(t.dims, dims_of(a)) for t in others)
                return self.bare(x, d) if alike else a
            case "cast", (x,) if x.type.dtype[0] in "iu" and a.type.dtype == "f64":
                return x if any(t.dtype == "f64" for t in others) else a
            case _:
                return a

    def _spread(self, a: Atom) -> bool:
        """Whether an operand is a broadcast that the text would leave out as well."""
        made = self._folded.get(a) if isinstance(a, Var) else None
        return made is not None and made.op.name == "broadcast_to"

    def _called(self, d: Def, reduces: bool) -> str:
        if reduces:
            return self._reduction(d)
        return called(d, [self.plain(a) for a in d.args], self._header)

    # ---- selection and conversion ----
    def _logical_not(self, d: Def) -> Text:
        inner = self(d.args[0])
        if isinstance(d.args[0].type, Scalar):
            return Text(f"not {inner.within(NOT)}", NOT)
        return Text(f"~{inner.within(SIGN)}", SIGN)

    def _undetermined(self, d: Def) -> Text:
        return self(d.args[0])

    def _maximum(self, d: Def) -> str:
        return self._extremum(d, "max")

    def _minimum(self, d: Def) -> str:
        return self._extremum(d, "min")

    def _extremum(self, d: Def, short: str) -> str:
        whole = d.var is not None and isinstance(d.var.type, Scalar) and d.var.type.dtype[0] == "i"
        return f"{short if whole else f'np.{d.op.name}'}({self.listed(d.args)})"

    def _larger(self, d: Def) -> str:
        return self._first_of_ties(d, "max", ">")

    def _smaller(self, d: Def) -> str:
        return self._first_of_ties(d, "min", "<")

    def _first_of_ties(self, d: Def, name: str, sign: str) -> str:
        """Python's `max` and `min` of numbers, which return the first of equal ones."""
        a, b = d.args
        if d.var is not None and isinstance(d.var.type, Scalar):
            return f"{name}({self.listed((b, a))})"
        first = f"{self(a).within(SUM)} {sign} {self(b).within(SUM)}"
        return f"np.where({first}, {self.listed(d.args)})"

    def _abs(self, d: Def) -> str | None:
        scalar = isinstance(d.args[0].type, Scalar)
        return f"abs({self.plain(d.args[0])})" if scalar else None

    def _powi(self, d: Def) -> Text:
        n = d.params["n"]
        return Text(f"{self(d.args[0]).within(ATOM)} ** {n}", POWER)

    def _cast(self, d: Def) -> Text | str:
        (a,), dtype = d.args, d.params["dtype"]
        if a.type.dtype == dtype:  # a Python number as NumPy's, or the reverse
            return self(a)
        kind = f"np.{np_dtype(dtype).name}"
        if isinstance(a.type, Array):
            return f"{self(a).within(ATOM)}.astype({kind})"
        short = {"i64": "int", "f64": "float", "bool": "bool"}.get(dtype, kind)
        return f"{short}({self.plain(a)})"

    # ---- memory ----
    def _zeros(self, d: Def, name: str = "") -> str:
        dtype = "" if d.params["dtype"] == "f64" else f", np.{np_dtype(d.params['dtype']).name}"
        shape = self.listed(d.args) if len(d.args) == 1 else f"({self.listed(d.args)})"
        return f"np.{name or d.op.name}({shape}{dtype})"

    _empty = _zeros

    def _tape(self, d: Def) -> str:
        return self._zeros(d, "empty") if d.var in self._arrays else self._called(d, False)

    def _tape_view(self, d: Def) -> str:
        tape, start, *dims = d.args
        if tape not in self._arrays:
            return self._called(d, False)
        first = self(start).within(PRODUCT)
        sizes = [self(n).within(POWER) for n in dims]
        if not dims:
            return f"{self.plain(tape)}[{first}, ...]"
        part = f"{self.plain(tape)}[{first} : {first} + {' * '.join(sizes)}]"
        return part if len(dims) == 1 else f"{part}.reshape({self.listed(dims)})"

    def _copy(self, d: Def) -> Text | str:
        (inner,) = d.args
        made = self._folded.get(inner) if isinstance(inner, Var) else None
        if made is not None and not made.op.view:
            return self(inner)  # a new array as it is
        return f"{self(inner).within(ATOM)}.copy()"

    def _stop_gradient(self, d: Def) -> Text | str:
        return self._copy(d) if isinstance(d.args[0].type, Array) else self(d.args[0])

    _before_rounding = _stop_gradient

    def _broadcast_to(self, d: Def) -> str:
        x, *dims = d.args
        shape = self.listed(dims) if len(dims) == 1 else f"({self.listed(dims)})"
        if isinstance(x.type, Array):
            return f"np.broadcast_to({self.plain(x)}, {shape}).copy()"
        return f"np.full({shape}, {self.plain(x)})"

    def source(self, a: Atom) -> Text:
        """The value assigned or added to an array: NumPy broadcasts and minds overlaps itself."""
        d = self._folded.get(a) if isinstance(a, Var) else None
        if d is not None and d.op.name in ("copy", "broadcast_to"):
            return self.source(d.args[0])
        return self(a)

    def _dim(self, d: Def) -> str:
        x, axis = self(d.args[0]).within(ATOM), d.params["axis"]
        return f"len({x})" if len(dims_of(d.args[0])) == 1 else f"{x}.shape[{axis}]"

    def _index(self, d: Def) -> Text | str:
        return self(d.args[0]) if d.var in self._folded else self._called(d, False)

    _wrap = _index

    def _load(self, d: Def) -> str:
        return self.element(d.args[0], d.args[1:])

    def element(self, x: Atom, places: Sequence[Atom]) -> str:
        base, view = x, self._folded.get(x) if isinstance(x, Var) else None
        if (
            view is not None
            and view.op.name == "view"
            and view.params["spec"]
            and (set(view.params["spec"][: len(view.args) - 1]) == {"i"})
        ):  # u[i][j] is u[i, j]
            base, places = view.args[0], (*view.args[1:], *places)
        return f"{self(base).within(ATOM)}[{self.listed(places) or '()'}]"

    def _view(self, d: Def) -> str | None:
        x, spec, atoms = d.args[0], d.params["spec"], list(d.args[1:])
        parts: list[str] = []
        axis = 0
        for code in spec:
            if code == "n":
                parts.append("None")
                continue
            if code == "i":
                parts.append(self.plain(atoms.pop(0)))
            elif code == "s":
                start, length, step, *atoms = atoms
                text = self._slice(dims_of(x)[axis], start, length, step)
                if text is None:
                    return None
                parts.append(text)
            else:
                parts.append(":")
            axis += 1
        while len(parts) > 1 and parts[-1] == ":":
            parts.pop()
        if set(spec) == {"i"} and axis == len(dims_of(x)):
            parts.append("...")  # a view of one element, not its value
        return f"{self(x).within(ATOM)}[{', '.join(parts)}]"

    def _slice(self, dim: Dim, start: Atom, length: Atom, step: Atom) -> str | None:
        if not isinstance(step, Const):
            return None
        if step.value != 1:
            return self._stride(dim, start, length, int(step.value))
        first = "" if isinstance(start, Const) and start.value == 0 else self(start).within(SUM)
        if isinstance(length, Const) and isinstance(start, Const):
            return f"{first}:{start.value + length.value}"
        missing = self._missing(dim, length)
        if missing is not None and isinstance(start, Const):
            # `length` ends `missing` places before the end of the axis
            from_end = missing - start.value
            if from_end >= 0:
                return f"{first}:{f'-{from_end}' if from_end else ''}"
        return f"{first}:{f'{first} + ' if first else ''}{self(length).within(SUM + bool(first))}"

    def _stride(self, dim: Dim, start: Atom, length: Atom, step: int) -> str | None:
        if step < 0:
            d = self._definitions.get(start) if isinstance(start, Var) else None
            last = d is not None and d.op.name == "sub" and d.args == (dim, Const(1, INT))
            return "::-1" if step == -1 and length is dim and last else None
        first = self(start).within(SUM)
        return f"{first} : {first} + {self(length).within(PRODUCT)} * {step} : {step}"

    def _missing(self, dim: Dim, length: Atom) -> int | None:
        """By how many places a length falls short of an axis, if that is known."""
        if length is dim:
            return 0
        d = self._definitions.get(length) if isinstance(length, Var) else None
        if d is None:
            return None
        match d.op.name, d.args:
            case "maximum", (inner, Const(value=0)):
                return self._missing(dim, inner)
            case "sub", (n, Const(value=int() as k)) if n is dim:
                return k
            case _:
                return None

    def _transpose(self, d: Def) -> str:
        perm, x = tuple(d.params["perm"]), self(d.args[0]).within(ATOM)
        if perm == tuple(reversed(range(len(perm)))):
            return f"{x}.T"
        return f"np.transpose({self.plain(d.args[0])}, {perm})"

    def _reshape(self, d: Def) -> str:
        return f"{self(d.args[0]).within(ATOM)}.reshape({self.listed(d.args[1:]) or '()'})"

    def _gather(self, d: Def) -> str:
        return f"{self(d.args[0]).within(ATOM)}[{self.fancy(d.args[1:], d.params['spec'])}]"

    def fancy(self, atoms: Sequence[Atom], spec: Sequence[str], whole: str = ":") -> str:
        left = list(atoms)
        return ", ".join(self.plain(left.pop(0)) if code == "a" else whole for code in spec)

    # ---- whole arrays ----
    def _reduction(self, d: Def) -> str:
        x, axes = d.args[0], tuple(d.params["axes"])
        if len(axes) == len(dims_of(x)):
            return f"np.{d.op.name}({self.plain(x)})"
        axis = axes[0] if len(axes) == 1 else axes
        return f"np.{d.op.name}({self.plain(x)}, axis={axis})"

    def _concatenate(self, d: Def) -> str:
        axis = f", axis={d.params['axis']}" if d.params["axis"] else ""
        return f"np.concatenate(({self.listed(d.args)},){axis})"

    def _iota(self, d: Def) -> str:
        return f"np.arange({self.plain(d.args[0])})"

    def _pack(self, d: Def) -> str:
        made = f"np.array([{self.listed(d.args)}])"
        dims = d.params.get("dims")
        return made if dims is None else f"{made}.reshape({', '.join(map(str, dims))})"

    def _cumsum(self, d: Def) -> str:
        x, axis, last = d.args[0], d.params["axis"], len(dims_of(d.args[0])) == 1
        if not d.params["reverse"]:
            return f"np.cumsum({self.plain(x)}{'' if last else f', axis={axis}'})"
        if last:
            return f"np.cumsum({self(x).within(ATOM)}[::-1])[::-1].copy()"
        return f"np.flip(np.cumsum(np.flip({self.plain(x)}, {axis}), {axis}), {axis}).copy()"


def dims_of(a: Atom) -> Dims:
    """The dims of an array; none of a number."""
    return a.type.dims if isinstance(a.type, Array) else ()


def _literal(c: Const) -> str:
    """A number as Python writes it; only a dtype that decides others is spelled."""
    if c.type.dtype in ("f64", "i64"):
        text = constant(Const(c.value, Scalar(c.type.dtype, weak=True)))
        return {"inf": "np.inf", "-inf": "-np.inf", "nan": "np.nan"}.get(text, text)
    if c.type.dtype == "bool":
        return str(bool(c.value))
    if c.type.dtype[0] == "c":
        value = complex(c.value)
        parts = f"{literal(value.real)}, {literal(value.imag)}"
        return repr(value) if np.isfinite(value) else f"complex({parts})"
    return f"np.{np_dtype(c.type.dtype).name}({literal(c.value)})"
