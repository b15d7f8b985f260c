"""The table of primitives, and the kinds of rows that state a derivative.

- `derive`: elementwise; one partial per argument, both directions are one product.
- `linear`: the transpose per argument; forward mode is the primitive itself on tangents.
- `custom`: both directions spelled out.
- `nondiff`: declared to have no derivative (zero almost everywhere, or not a float).

For complex numbers an adjoint `g` of `y` means dL = Re(g dy): rules are the same as for real ones,
without conjugates. Users see its conjugate, taken where a reverse sweep begins and ends.

Rules run on any kind of argument: IR values, NumPy arrays, tensors. Never imports the IR.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.operation import Primitive


def ZERO(*args: Any, **params: Any) -> float:
    """The rule for "zero almost everywhere"; `None` in a row means "no rule": refused."""
    return 0.0


# a function of a row. The parameters of a lambda are Any if one of these has as many of them
Function = (
    Callable[[Any], Any]
    | Callable[[Any, Any], Any]
    | Callable[[Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any, Any, Any, Any], Any]
    | Callable[..., Any]
)
Part = Function | None  # where a row may have none
REGISTRY: dict[str, Primitive] = {}


def register(primitive: Primitive) -> Primitive:
    assert primitive.name not in REGISTRY, primitive.name
    REGISTRY[primitive.name] = primitive
    return primitive


def derive(name: str, impl: Function, *partials: Part, **flags: Any) -> Primitive:
    """An elementwise primitive; `singular` if a partial may be infinite where the value is not."""
    made = Primitive(
        name, impl, "derive", elementwise=True, arity=len(partials), rules=partials, **flags
    )
    return register(made)


def linear(
    name: str, impl: Function, *transposes: Part, typing: Part = None, **flags: Any
) -> Primitive:
    """A primitive that is linear in all arguments with a transpose, taken together."""
    flags.setdefault("arity", len(transposes))
    return register(Primitive(name, impl, "linear", rules=transposes, typing=typing, **flags))


def multilinear(
    name: str, impl: Function, *transposes: Part, typing: Part = None, **flags: Any
) -> Primitive:
    """A primitive that is linear in each argument with a transpose, the others fixed."""
    return register(Primitive(name, impl, "multilinear", rules=transposes, typing=typing, **flags))


def custom(
    name: str, impl: Function, jvp: Function, *vjps: Part, typing: Part = None, **flags: Any
) -> Primitive:
    """A primitive with both directions spelled out; tests compare them."""
    return register(Primitive(name, impl, "custom", rules=vjps, jvp=jvp, typing=typing, **flags))


def nondiff(name: str, impl: Function, typing: Part = None, **flags: Any) -> Primitive:
    """A primitive without a derivative: a float result that depends on floats must be `flat`."""
    return register(Primitive(name, impl, "nondiff", typing=typing, **flags))


def _operator(name: str, reflected: bool = False) -> Callable[[Any, Any], Any]:
    if reflected:
        return lambda self, other: REGISTRY[name](other, self)
    return lambda self, other: REGISTRY[name](self, other)


class Operators:
    """Python's operators, spelled as primitives, for IR values in rules and for tensors."""

    __slots__ = ()
    __array_ufunc__ = None
    # whether a rule's select times a value is a product with ones and zeros (NaN and infinity then
    # reach every element), not a selection
    masks = False

    __add__, __radd__ = _operator("add"), _operator("add", reflected=True)
    __sub__, __rsub__ = _operator("sub"), _operator("sub", reflected=True)
    __mul__, __rmul__ = _operator("mul"), _operator("mul", reflected=True)
    __truediv__, __rtruediv__ = _operator("div"), _operator("div", reflected=True)
    __pow__ = _operator("pow")
    __lt__, __le__ = _operator("lt"), _operator("le")
    __gt__, __ge__ = _operator("gt"), _operator("ge")

    def __neg__(self) -> Any:
        return REGISTRY["neg"](self)
