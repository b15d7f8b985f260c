"""`custom_vjp` and `custom_jvp`: functions whose derivative the user states.

The rule is a Python function too: compiled code follows it and inlines it where a derivative is
taken, so it has derivatives itself. Called outside of compiled code the function just runs.
"""

from __future__ import annotations

import functools
import inspect
import operator
import types
from collections.abc import Callable, Iterable
from typing import Any, Generic, ParamSpec, TypeVar, cast

from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.protocols import held
from srcgrad.tree import leaves

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])


def any_tensor(args: tuple[Any, ...]) -> bool:
    """Whether there is a tensor in a structure."""
    return any(hasattr(type(v), "srcgrad_value") for v in leaves(args))


class Ruled(Generic[P, R]):
    """A function with a rule: the base of `custom_vjp` and `custom_jvp`."""

    kind = ""
    exchanged = False  # whether another process takes part in the derivative
    analytic = False  # whether the rule holds for complex numbers, by the adjoints inside

    def __init__(self, function: Callable[P, R], nondiff_argnums: int | Iterable[int] = ()):
        if not callable(function):
            raise ArgumentTypeError(
                f"{self.kind} takes a function, not {type(function).__name__}", None,
                f"as a decorator with arguments: @functools.partial(flow.{self.kind}, ...)",
            )  # fmt: skip
        self.function = function
        several = isinstance(nondiff_argnums, Iterable)
        numbers = nondiff_argnums if several else (nondiff_argnums,)
        self.nondiff_argnums: tuple[int, ...] = tuple(map(operator.index, numbers))
        self.__name__: str = held(function, "__name__") or type(function).__name__
        functools.update_wrapper(self, function)

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        function: Callable[..., Any] = self.function
        given: tuple[Any, ...] = args
        if kwargs or any_tensor(given):
            given = self._positional(given, kwargs)
            if any_tensor(given):
                from srcgrad.custom.on_tensors import call

                return call(self, given)
        made = function(*given)
        if any_tensor((made,)):  # computed from captured tensors
            from srcgrad.custom.on_tensors import refuse_captured

            refuse_captured(made, [], self.__name__)
        return made

    def _positional(self, args: tuple[Any, ...], kwargs: dict[Any, Any]) -> tuple[Any, ...]:
        """All arguments by position, defaults included; keyword-only ones keep theirs."""
        bound = inspect.signature(self.function).bind(*args, **kwargs)
        bound.apply_defaults()
        if bound.kwargs.keys() & kwargs:
            raise ArgumentTypeError(
                f"{self.__name__}() has a rule of its own: it takes arguments by position only"
            )
        return bound.args

    def __get__(self, owner: Any, cls: Any = None) -> Any:
        return self if owner is None else types.MethodType(self, owner)

    def __repr__(self) -> str:
        return f"<{self.kind} of {self.__name__}>"

    def nondiff(self, count: int) -> tuple[int, ...]:
        """Positions of the arguments that are not differentiated, in order."""
        found = {k + count if k < 0 else k for k in self.nondiff_argnums}
        if any(not 0 <= k < count for k in found):
            raise ArgumentValueError(
                f"nondiff_argnums={self.nondiff_argnums} of {self.__name__}(), which is called "
                f"with {count} arguments"
            )
        return tuple(sorted(found))

    def without_rule(self) -> ArgumentTypeError:
        method = "defvjp(fwd, bwd)" if self.kind == "custom_vjp" else "defjvp(rule)"
        return ArgumentTypeError(
            f"{self.__name__}() has no rule yet", None, f"call {self.__name__}.{method}"
        )


class custom_vjp(Ruled[P, R]):
    """A function whose reverse derivative is stated: `f.defvjp(fwd, bwd)`.

    `fwd` takes the arguments of `f` and returns its value and the residuals for `bwd`;
    `bwd(residuals, g)` returns one adjoint for each argument, with the shape and dtype of the
    argument, or None for zero. Arguments at `nondiff_argnums` (functions, settings) are not
    differentiated: `bwd` gets them first. Compiled code runs `fwd`, plain Python runs `f`. Forward
    mode transposes `bwd`, which then has to be linear in `g`. The interface is JAX's.

    >>> import numpy as np
    >>> @custom_vjp
    ... def clipped(x):
    ...     return x
    >>> def forward(x):
    ...     return x, None
    >>> def backward(residuals, g):
    ...     return (np.clip(g, -1.0, 1.0),)
    >>> clipped.defvjp(forward, backward)
    >>> def loss(x):
    ...     return np.sum(clipped(x) ** 3)
    >>> import srcgrad as flow
    >>> flow.grad(loss)(np.array([0.1, 2.0]))
    array([0.03, 1.  ])
    """

    kind = "custom_vjp"
    fwd: Any = None
    bwd: Any = None

    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        """Sets the rule: `fwd` gives the value and residuals, `bwd` the adjoints of the inputs."""
        self.fwd, self.bwd = fwd, bwd

    def srcgrad_inline(
        self, it: Interpreter, args: list[Any], kwargs: dict[Any, Any], node: Node
    ) -> Any:
        from srcgrad.custom.calls import call_with_vjp

        return call_with_vjp(it, self, args, kwargs, node)


class custom_jvp(Ruled[P, R]):
    """A function whose forward derivative is stated: `f.defjvp(rule)`, or `f.defjvps(...)`.

    `rule(primals, tangents)` takes two tuples, one entry for each argument, and returns the value
    and its tangent. Reverse mode transposes it: it has to be linear in the tangents. Arguments at
    `nondiff_argnums` are passed to the rule first, separately. The tangent of a non-float is
    None. The interface is JAX's.

    >>> import numpy as np
    >>> @custom_jvp
    ... def softplus(x):
    ...     return np.logaddexp(x, 0.0)
    >>> @softplus.defjvp
    ... def softplus_jvp(primals, tangents):
    ...     (x,), (dx,) = primals, tangents
    ...     return softplus(x), dx / (1.0 + np.exp(-x))
    >>> import srcgrad as flow
    >>> flow.grad(softplus)(0.0)
    0.5
    """

    kind = "custom_jvp"
    jvp: Any = None
    partial: Any = None  # a warning for those who take a derivative
    pull: Any = None  # `pull(primals, g)`: the adjoints of the arguments, instead of the transpose

    def defjvp(self, jvp: F) -> F:
        """States the rule; returns it, so that it can be a decorator."""
        self.jvp = jvp
        return jvp

    def defjvps(self, *jvps: Callable[..., Any] | None) -> None:
        """States one rule for each argument, `rule(tangent, value, *primals)`; None for zero."""
        if self.nondiff_argnums:
            raise ArgumentTypeError("defjvps is for functions without nondiff_argnums: use defjvp")
        function = cast("Callable[..., Any]", self)

        def summed(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> Any:
            value, total = function(*primals), None
            for rule, t in zip(jvps, tangents):  # noqa: B905 (a length is checked below)
                if rule is not None:
                    term = rule(t, value, *primals)
                    total = term if total is None else total + term
            return value, total

        self.jvp = summed

    def srcgrad_inline(
        self, it: Interpreter, args: list[Any], kwargs: dict[Any, Any], node: Node
    ) -> Any:
        from srcgrad.custom.calls import call_with_jvp

        return call_with_jvp(it, self, args, kwargs, node)
