"""`opaque`: a function that compiled code calls back to Python, with stated result types.

Nothing is followed: the types of its results are stated, and so are its derivatives, as functions
that are called back too. Its arguments are copies; its exceptions reach the caller unchanged.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from srcgrad.custom.functions import any_tensor
from srcgrad.custom.isolated import apart
from srcgrad.custom.trace import Call, Called, is_floating, varies
from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.kinds import type_of_value
from srcgrad.frontend.values import describe, is_number, is_value
from srcgrad.ir.nodes import Atom, Var, atom
from srcgrad.ir.types import Array, Scalar, converter, is_float, join_scalars
from srcgrad.primitives.callbacks import Callback
from srcgrad.protocols import held
from srcgrad.tracebacks import entrance
from srcgrad.tree import Leaf, filled, leaves, mapped, matched, unflattened

R = TypeVar("R")


def opaque(
    function: Callable[..., R],
    like: Any,
    vjp: Callable[..., Any] | None = None,
    jvp: Callable[..., Any] | None = None,
) -> Opaque[R]:
    """A function that compiled code does not follow but calls back to Python.

    `like` has the shapes and dtypes of its results: a number, an array, a tuple or dict of them, a
    type such as `float`; or a function of the arguments that returns such a thing, where shapes
    depend on them. `vjp(primals, g)` gives a tuple with one adjoint for each argument, None for
    zero; `jvp(primals, tangents)` gives the tangent of the result. Both are called back. Without
    them a derivative is refused. Arguments are passed by position, as copies; exceptions pass
    unchanged. A result of another shape than `like` is a ValueError.

    >>> import srcgrad as flow
    >>> import numpy as np
    >>> def simulate(x):
    ...     return np.array([float(str(v)) for v in x]) ** 2  # nothing a compiler follows
    >>> square = opaque(simulate, lambda x: x, vjp=lambda primals, g: (2.0 * primals[0] * g,))
    >>> def loss(x):
    ...     return np.sum(square(x) * x)
    >>> flow.grad(loss)(np.array([1.0, 2.0]))
    array([ 3., 12.])
    """
    if not callable(function):
        raise ArgumentTypeError(f"opaque takes a function, not {type(function).__name__}")
    return Opaque(function, like, vjp, jvp)


class Opaque(Generic[R]):
    """A function that is called back, with its stated results and derivatives."""

    function: Callable[..., R]
    like: Any
    vjp: Any
    jvp: Any

    def __init__(self, function: Callable[..., R], like: Any, vjp: Any = None, jvp: Any = None):
        self.function, self.like, self.vjp, self.jvp = function, like, vjp, jvp
        self.__name__: str = held(function, "__name__") or type(function).__name__
        functools.update_wrapper(self, function)

    @entrance
    def __call__(self, *args: Any) -> R:
        if any_tensor(args):
            from srcgrad.custom.on_tensors import call_opaque

            return call_opaque(self, args)
        return self.function(*(mapped(a, _copied) for a in args))

    def __repr__(self) -> str:
        return f"<opaque {self.__name__}>"

    def nondiff(self, count: int) -> tuple[int, ...]:
        """Every argument may have a derivative."""
        return ()

    def srcgrad_inline(
        self, it: Interpreter, args: list[Any], kwargs: dict[Any, Any], node: Node
    ) -> Any:
        """Emits the call as IR; called by the frontend."""
        call = Call(it, self, args, kwargs, node)
        it.locate(node)
        start = len(it.b.out)
        with apart(it, call.name, node):
            value = _value(call, self.function, self._likeness(call))
        block = tuple(it.b.out[start:])
        if self.vjp is None and self.jvp is None:
            return value
        return call.attach(value, block, self._state)

    def _likeness(self, call: Call) -> Any:
        """Values with the types of the results."""
        like = self.like
        if isinstance(like, type):
            return like()
        return call.it.call(like, list(call.args), {}, call.node) if callable(like) else like

    def _state(self, called: Called) -> None:
        call = called.call
        if self.vjp is not None:
            given = [called.variable(y, "_bar") for y in called.values]
            g = called.like_value(given)
            called.rule.pull = called.direction(
                given, len(call.inputs), lambda: _adjoints(call, self.vjp, g)
            )
        if self.jvp is not None:
            dots = [called.variable(x, "_dot") for x in call.inputs]
            called.rule.push = called.direction(
                dots, len(called.values), lambda: _tangents(called, self.jvp, dots)
            )


def _copied(v: Any) -> Any:
    return v.copy() if isinstance(v, np.ndarray) else v


# ---- callbacks ----
class Operands:
    """The run-time leaves of some structures, and how to rebuild the structures from values."""

    def __init__(self, *values: Any):
        self.atoms: list[Atom] = []
        self._converters: list[Any] = []
        self.templates: list[Any] = [mapped(v, self._leaf) for v in values]

    def _leaf(self, v: Any) -> Any:
        if not isinstance(v, Var) or not is_value(v):
            return v
        self.atoms.append(v)
        self._converters.append(converter(v.type))
        return Leaf(len(self.atoms) - 1)

    def structures(self, values: Sequence[Any]) -> list[Any]:
        made = [v if c is None else c(v) for v, c in zip(values, self._converters, strict=True)]
        return [filled(s, made) for s in self.templates]


def _value(call: Call, function: Callable[..., Any], like: Any) -> Any:
    """The function's value for the arguments, with the types of `like`."""
    given = Operands(tuple(call.args))
    wanted = leaves(like)
    types = [_type(call, v) for v in wanted]
    shape = unflattened(like, range(len(wanted)))

    def run(values: Sequence[Any]) -> list[Any]:
        (args,) = given.structures(values)
        return taken(function(*args), shape, call.name)

    made = emitted(call.it, call.name, run, types, given.atoms)
    return unflattened(like, made)


def _adjoints(call: Call, vjp: Callable[..., Any], g: Any) -> list[Any]:
    given = Operands(tuple(call.primals), g)
    numbers = iter(range(len(call.inputs)))
    shape = mapped(tuple(call.primals), lambda v: next(numbers) if varies(v) else None)

    def run(values: Sequence[Any]) -> list[Any]:
        primals, adjoints = given.structures(values)
        return taken(vjp(primals, adjoints), shape, f"the vjp of {call.name}")

    types = [v.type for v in call.inputs]
    made = emitted(call.it, f"the vjp of {call.name}", run, types, given.atoms)
    return [atom(v) for v in made]


def _tangents(called: Called, jvp: Callable[..., Any], dots: list[Any]) -> list[Any]:
    call, mine, numbers = called.call, iter(dots), iter(range(len(called.values)))
    primals = tuple(call.primals)
    tangents = mapped(
        primals, lambda v: next(mine) if varies(v) else 0.0 if is_floating(v) else None
    )
    given = Operands(primals, tangents)
    shape = mapped(called.value, lambda v: next(numbers) if is_floating(v) else None)

    def run(values: Sequence[Any]) -> list[Any]:
        primals, tangents = given.structures(values)
        return taken(jvp(primals, tangents), shape, f"the jvp of {call.name}")

    types = [v.type for v in called.values]
    made = emitted(call.it, f"the jvp of {call.name}", run, types, given.atoms)
    return [atom(v) for v in made]


def taken(given: Any, shape: Any, name: str) -> list[Any]:
    """The numbered leaves of a result, taken apart by its stated structure."""

    def refuse(path: tuple[Any, ...], given: Any, like: Any) -> None:
        raise ValueError(f"{name} returned {type(given).__name__}, not what was said")

    return [g for _, number, g in matched(shape, given, refuse) if number is not None]


# ---- as IR ----
def _type(call: Call, v: Any) -> Any:
    """The type of a result that is stated by an example."""
    if isinstance(v, Var) and is_value(v):
        return v.type
    if isinstance(v, np.ndarray) and (t := type_of_value(v)) is not None:
        return Array(t.dtype, v.shape)
    if is_number(v):
        return atom(v).type
    return call.it.refuse(
        call.node, f"what {call.name}() is to return has no dtype: it is {describe(v)}",
        "say it with a number or an array, as in opaque(f, 0.0)",
    )  # fmt: skip


def emitted(
    it: Interpreter, name: str, run: Callable[..., Any], types: Sequence[Any],
    operands: Sequence[Atom], by_target: bool = False,
) -> Iterator[Any]:  # fmt: skip
    """Emits the call; yields its results as values of these types.

    `run(operands)` returns them; with `by_target` it gets the calling code's target too.
    """
    b = it.b
    dims = [tuple(getattr(t, "dims", ())) for t in types]
    sizes = [b.size(d) for d in dims]
    dtype = _common(it, types)
    back = Callback(name, run, tuple(map(len, dims)), by_target)
    total = b.total([0, *sizes])
    every = [n for d in dims for n in d]
    out = b.call_back(total, *every, *operands, back=back, dtype=dtype, name="results")
    at: Any = 0
    made = []
    for t, d, n in zip(types, dims, sizes, strict=True):
        if isinstance(t, Scalar):
            made.append(b.retyped(b.cast(b.load(out, at), t), t))
        else:
            piece = b.view(out, at, n, 1, spec=("s",)) if len(types) > 1 else out
            made.append(b.cast(b.reshape(piece, *d), Scalar(t.dtype)))
        at = b.dim(b.add(atom(at), atom(n)))
    return iter(made)


def _common(it: Interpreter, types: Sequence[Any]) -> str:
    """The dtype that holds all results."""
    joined = functools.reduce(join_scalars, [Scalar(t.dtype) for t in types])
    kinds = {t.dtype[0] for t in types}
    if len(kinds) > 1 and (not is_float(joined.dtype) or "b" in kinds):
        it.refuse(
            None, "the results of an opaque function have dtypes of several kinds",
            "let it return floats",
        )  # fmt: skip
    return joined.dtype
