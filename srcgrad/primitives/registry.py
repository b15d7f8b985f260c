"""What a primitive is, and the three ways to state its derivative.

- `derive`: elementwise; one partial per argument, both directions are one product.
- `linear`: the transpose per argument; forward mode is the primitive itself on tangents.
- `custom`: both directions spelled out.
- `nondiff`: said to have no derivative (zero almost everywhere, or not a float).

Of complex numbers an adjoint `g` of `y` says dL = Re(g dy): rules are the same as for real ones,
without conjugates. What users see is the conjugate of it, taken where a reverse sweep begins and
ends.

A rule is run on whatever its arguments are: IR values, NumPy arrays, tensors. Never imports the IR.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Rule = Callable[..., Any]


def ZERO(*args: Any, **params: Any) -> float:
    """The rule that says "zero almost everywhere"; `None` in a row says "no rule": refused."""
    return 0.0


@dataclass(frozen=True, eq=False)
class Primitive:
    """One row of the table; calling it dispatches on the kind of its arguments."""

    name: str
    impl: Callable[..., Any]  # on NumPy arrays and scalars
    kind: str  # "derive", "linear", "multilinear", "custom" or "nondiff"
    elementwise: bool = False
    arity: int = 1  # how many operands an elementwise one takes
    params: tuple[str, ...] = ()  # the whole numbers that an elementwise one states
    selects: bool = False  # its first operand is a condition, which its dtype does not depend on
    # derive: partials(y, *args); linear: transposes(g, y, *args, **params); custom: the same
    rules: tuple[Rule | None, ...] = ()
    # (tangents, y, *args, **params), None: zero tangent; instead of what the rules would give
    jvp: Rule | None = None
    singular: bool = False  # partials may be infinite: products absorb a zero adjoint
    typing: Rule | None = None  # (build, *args, **params) -> (dtype, dims) or more
    effect: bool = False  # writes to its first argument, or to the world
    writes: bool = False  # an effect on the memory of its first argument
    adds: bool = False  # a write that adds its last argument to what is there
    holds: bool = False  # a write after which its first argument leads to its last one's memory
    view: bool = False  # its result is a view of its first argument
    fresh: bool = False  # its result is a new buffer although it reads none
    flat: bool = False  # nondiff: its float result is said to be constant almost everywhere
    # custom, or flat: what is said of the derivative is true of complex numbers too. Of the other
    # kinds it is: partials are formulas of analytic functions, transposes do not conjugate
    analytic: bool = False
    raises: bool = False  # may raise at run time: never moved to where it would not have run
    decides: bool = False  # its result is a discontinuous function of a float operand
    exact: bool = False  # its float results are operands, their negatives or integers: not rounded
    # may be infinite or NaN for ordinary finite operands; for complex ones only, or its partials
    nonfinite: bool | Literal["complex"] = False
    # compares numbers. NumPy orders complex ones too, by their real parts first: Python refuses to,
    # and nothing of it has a derivative that one would guess
    ordered: bool = False
    kept: bool = False  # not folded if its operands are constant: its meaning is its derivative
    # what a reverse sweep computes again rather than keeps: its scalars, or its arrays as well, if
    # their operands are kept anyway
    cheap: Literal["", "scalars", "arrays"] = ""

    def __call__(self, *args: Any, **params: Any) -> Any:
        for a in args:
            apply = getattr(a, "apply_primitive", None)
            if apply is not None:
                return apply(self, args, params)
        return self.impl(*args, **params)

    def __repr__(self) -> str:
        return self.name


REGISTRY: dict[str, Primitive] = {}


def register(primitive: Primitive) -> Primitive:
    assert primitive.name not in REGISTRY, primitive.name
    REGISTRY[primitive.name] = primitive
    return primitive


def derive(name: str, impl: Callable, *partials: Rule | None, **flags: Any) -> Primitive:
    """An elementwise primitive; `singular` if a partial may be infinite where the value is not."""
    made = Primitive(
        name, impl, "derive", elementwise=True, arity=len(partials), rules=partials, **flags
    )
    return register(made)


def linear(name: str, impl: Callable, *transposes: Rule | None, **flags: Any) -> Primitive:
    """Linear in all arguments that have a transpose, taken together."""
    flags.setdefault("arity", len(transposes))
    return register(Primitive(name, impl, "linear", rules=transposes, **flags))


def multilinear(name: str, impl: Callable, *transposes: Rule | None, **flags: Any) -> Primitive:
    """Linear in each argument that has a transpose, the others fixed."""
    return register(Primitive(name, impl, "multilinear", rules=transposes, **flags))


def custom(name: str, impl: Callable, jvp: Rule, *vjps: Rule | None, **flags: Any) -> Primitive:
    """Both directions spelled out; tests hold them against each other."""
    return register(Primitive(name, impl, "custom", rules=vjps, jvp=jvp, **flags))


def nondiff(name: str, impl: Callable, **flags: Any) -> Primitive:
    """No derivative, and said so: a float result that depends on floats must be `flat`."""
    return register(Primitive(name, impl, "nondiff", **flags))


class Operators:
    """Python's operators, spelled as primitives; what IR values in rules and tensors share."""

    __slots__ = ()
    __array_ufunc__ = None
    # whether a rule's select times a value is a product with ones and zeros (NaN and infinity then
    # reach every element), not a selection
    masks = False

    def __add__(self, other: Any) -> Any:
        return REGISTRY["add"](self, other)

    def __radd__(self, other: Any) -> Any:
        return REGISTRY["add"](other, self)

    def __sub__(self, other: Any) -> Any:
        return REGISTRY["sub"](self, other)

    def __rsub__(self, other: Any) -> Any:
        return REGISTRY["sub"](other, self)

    def __mul__(self, other: Any) -> Any:
        return REGISTRY["mul"](self, other)

    def __rmul__(self, other: Any) -> Any:
        return REGISTRY["mul"](other, self)

    def __truediv__(self, other: Any) -> Any:
        return REGISTRY["div"](self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return REGISTRY["div"](other, self)

    def __pow__(self, other: Any) -> Any:
        return REGISTRY["pow"](self, other)

    def __neg__(self) -> Any:
        return REGISTRY["neg"](self)

    def __lt__(self, other: Any) -> Any:
        return REGISTRY["lt"](self, other)

    def __le__(self, other: Any) -> Any:
        return REGISTRY["le"](self, other)

    def __gt__(self, other: Any) -> Any:
        return REGISTRY["gt"](self, other)

    def __ge__(self, other: Any) -> Any:
        return REGISTRY["ge"](self, other)
