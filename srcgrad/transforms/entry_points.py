"""compile, grad, value_and_grad, vjp, jvp: check arguments and make a `Compiled` of a function.

Nesting of results, classes and texts of errors are MindSpore's.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Literal, Protocol, overload

import numpy as np

from srcgrad.backends.backend import checked_target
from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.frontend.source import state_source
from srcgrad.protocols import states
from srcgrad.transforms.compiled import Compiled
from srcgrad.transforms.generic import OfTensors, P, R, T
from srcgrad.transforms.positions import FIRST, positions_of
from srcgrad.transforms.specialization import Options
from srcgrad.transforms.stacking import (
    aux_of,
    by_name,
    constants,
    gradient_of,
    taken_apart,
    tangent_of,
    tape_of,
)
from srcgrad.transforms.tangents import tangents_of
from srcgrad.transforms.weighted import Weighted
from srcgrad.transforms.weights import checked_weights
from srcgrad.tree import mapped

Position = int | tuple[int, ...] | None
Argnums = int | tuple[int, ...] | list[int] | None


class Compiler(Protocol):
    """`compile` with options, as a decorator."""

    @overload
    def __call__(self, fn: OfTensors[P], /) -> Compiled[P, Any]: ...
    @overload
    def __call__(self, fn: Callable[P, R], /) -> Compiled[P, R]: ...


@overload
def compile(
    fn: OfTensors[P], *, target: str | None = None, cache: bool | None = None,
    fastmath: bool | None = None, parallel: bool | None = None,
    deterministic: bool | None = None, source: str | None = None,
) -> Compiled[P, Any]: ...  # fmt: skip
@overload
def compile(
    fn: Callable[P, R], *, target: str | None = None, cache: bool | None = None,
    fastmath: bool | None = None, parallel: bool | None = None,
    deterministic: bool | None = None, source: str | None = None,
) -> Compiled[P, R]: ...  # fmt: skip
@overload
def compile(
    fn: None = None, *, target: str | None = None, cache: bool | None = None,
    fastmath: bool | None = None, parallel: bool | None = None,
    deterministic: bool | None = None, source: str | None = None,
) -> Compiler: ...  # fmt: skip
def compile(
    fn: Callable[..., Any] | None = None,
    *,
    target: str | None = None,
    cache: bool | None = None,
    fastmath: bool | None = None,
    parallel: bool | None = None,
    deterministic: bool | None = None,
    source: str | None = None,
) -> Any:
    """Compiles a plain Python function; as a decorator bare or with options.

    `target`: "cpu" (machine code), "cuda" (kernels: docs/parallel.md), "python" (the reference
    backend) or "loops" (it runs the loops that "cpu" compiles). `cache`: keep compiled code on
    disk. `source`: the text of the function where no file has it. Arguments and results: numbers,
    arrays, containers of them.

    `fastmath`, on the cpu target: with False every operation is computed in the order written.
    Unset, sums and products may be regrouped, so that loops vectorise: results differ from NumPy's
    by rounding, and by more where an intermediate result overflows in one grouping only. With True
    NaN, infinities and signed zeros may be lost as well. `parallel=True`, on the cpu target: loops
    whose trips do not depend on one another run on several cores, if there is enough to do;
    results do not depend on how many (docs/parallel.md). `deterministic=True`, on the cuda target:
    additions to one element are made in a fixed order, where atomic ones may differ from run to run
    in the last digits; the other targets always repeat their results. Gradients have their
    function's settings.

    >>> import numpy as np, srcgrad as flow
    >>> @flow.compile(target="python")
    ... def total(x):
    ...     s = 0.0
    ...     for i in range(len(x)):
    ...         s += x[i] * x[i]
    ...     return s
    >>> float(total(np.array([1.0, 2.0])))
    5.0
    """
    if fn is None:
        return functools.partial(
            compile, target=target, cache=cache, fastmath=fastmath, parallel=parallel,
            deterministic=deterministic, source=source,
        )  # fmt: skip
    _check_options(target, parallel, deterministic)
    if fastmath is not None and not isinstance(fastmath, bool):
        raise ArgumentTypeError(
            f"fastmath must be True or False, not {fastmath!r}", None,
            "leave it out for the default, which may regroup sums and products",
        )  # fmt: skip
    function, spec, old = taken_apart(fn)
    if source is not None:
        state_source(function, source)
    options = Options(
        target=old.target if target is None else target,
        cache=old.cache if cache is None else cache,
        fastmath=old.fastmath if fastmath is None else fastmath,
        parallel=old.parallel if parallel is None else parallel,
        deterministic=old.deterministic if deterministic is None else deterministic,
    )
    return Compiled(function, spec, options)


@overload
def jit(function: OfTensors[P], **options: Any) -> Compiled[P, Any]: ...
@overload
def jit(function: Callable[P, R], **options: Any) -> Compiled[P, R]: ...
@overload
def jit(function: None = None, **options: Any) -> Compiler: ...
def jit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """`compile` by MindSpore's name, whose options change nothing.

    >>> import srcgrad as flow
    >>> @flow.jit
    ... def square(x):
    ...     return x * x
    >>> square(flow.tensor(3.0))
    tensor(9., dtype=srcgrad.float32)
    """
    return functools.partial(jit, **options) if function is None else compile(function)


@overload
def grad(
    fn: Callable[P, Any], grad_position: Position = FIRST, weights: Any = None,
    has_aux: bool = False, return_ids: bool = False, sens_param: Literal[False] = False,
    *, argnums: Argnums = None, target: str | None = None, parallel: bool | None = None,
    deterministic: bool | None = None, mode: str | None = None,
) -> Compiled[P, Any]: ...  # fmt: skip
@overload
def grad(
    fn: Callable[..., Any], grad_position: Position = FIRST, weights: Any = None,
    has_aux: bool = False, return_ids: bool = False, *, sens_param: bool,
    argnums: Argnums = None, target: str | None = None, parallel: bool | None = None,
    deterministic: bool | None = None, mode: str | None = None,
) -> Callable[..., Any]: ...  # fmt: skip
@overload
def grad(
    fn: Callable[..., Any], grad_position: Position, weights: Any, has_aux: bool,
    return_ids: bool, sens_param: bool, *, argnums: Argnums = None, target: str | None = None,
    parallel: bool | None = None, deterministic: bool | None = None, mode: str | None = None,
) -> Callable[..., Any]: ...  # fmt: skip
def grad(
    fn: Callable[..., Any], grad_position: Position = FIRST, weights: Any = None,
    has_aux: bool = False, return_ids: bool = False, sens_param: bool = False,
    *, argnums: Argnums = None, target: str | None = None, parallel: bool | None = None,
    deterministic: bool | None = None, mode: str | None = None,
) -> Any:  # fmt: skip
    """The gradient of `fn` by the arguments at `grad_position` and by the Parameters `weights`.

    An int gives a bare gradient, a tuple a tuple of them (one of length 1 a bare one); each has the
    structure, shape and dtype of its argument. One Parameter gives a bare gradient, a list or tuple
    of them a tuple; both together give (by arguments, by weights). Leaves of a dict, a dataclass, a
    list or a tuple that are not floats (an integer, a string) have the gradient None; a position
    without any float is refused. Results that are not scalars are summed, several outputs too; with
    `has_aux` only the first counts, and (gradient, the others) is returned. With `return_ids` each
    gradient is a pair with its position or the Parameter's name: see `get_grad`. With `sens_param`
    the last argument of a call is the adjoint of the output. `argnums` is JAX's name for
    `grad_position`, and gives a tuple of one for a sequence of one; only one of the two can be
    given. `target`, `parallel` and
    `deterministic` are those of `compile`; left out, they are the function's. `mode="tape"` runs
    the function as it is, on arrays and numbers that record what is done with them, where it cannot
    be compiled (docs/functional.md). The caller's arrays are never changed.

    >>> import srcgrad as flow
    >>> def g(p):
    ...     return p["rate"] * p["days"]
    >>> flow.grad(flow.compile(g, target="python"))({"rate": 0.5, "days": 3})
    {'rate': 3.0, 'days': None}

    >>> import srcgrad as flow
    >>> def f(x, y):
    ...     return x * x * y
    >>> f_x = flow.grad(flow.compile(f, target="python"))
    >>> f_x(3.0, 2.0)
    12.0
    """
    return _gradient(
        fn, grad_position, argnums, weights, has_aux, return_ids, sens_param, False,
        target=target, parallel=parallel, deterministic=deterministic, tape=tape_of(mode),
    )  # fmt: skip


@overload
def value_and_grad(
    fn: OfTensors[P], grad_position: Position = FIRST, weights: Any = None,
    has_aux: bool = False, return_ids: bool = False, sens_param: Literal[False] = False,
    *, argnums: Argnums = None, target: str | None = None, parallel: bool | None = None,
    deterministic: bool | None = None, mode: str | None = None,
) -> Compiled[P, tuple[Any, Any]]: ...  # fmt: skip
@overload
def value_and_grad(
    fn: Callable[P, R], grad_position: Position = FIRST, weights: Any = None,
    has_aux: bool = False, return_ids: bool = False, sens_param: Literal[False] = False,
    *, argnums: Argnums = None, target: str | None = None, parallel: bool | None = None,
    deterministic: bool | None = None, mode: str | None = None,
) -> Compiled[P, tuple[R, Any]]: ...  # fmt: skip
@overload
def value_and_grad(
    fn: Callable[..., Any], grad_position: Position = FIRST, weights: Any = None,
    has_aux: bool = False, return_ids: bool = False, *, sens_param: bool,
    argnums: Argnums = None, target: str | None = None, parallel: bool | None = None,
    deterministic: bool | None = None, mode: str | None = None,
) -> Callable[..., Any]: ...  # fmt: skip
@overload
def value_and_grad(
    fn: Callable[..., Any], grad_position: Position, weights: Any, has_aux: bool,
    return_ids: bool, sens_param: bool, *, argnums: Argnums = None, target: str | None = None,
    parallel: bool | None = None, deterministic: bool | None = None, mode: str | None = None,
) -> Callable[..., Any]: ...  # fmt: skip
def value_and_grad(
    fn: Callable[..., Any], grad_position: Position = FIRST, weights: Any = None,
    has_aux: bool = False, return_ids: bool = False, sens_param: bool = False,
    *, argnums: Argnums = None, target: str | None = None, parallel: bool | None = None,
    deterministic: bool | None = None, mode: str | None = None,
) -> Any:  # fmt: skip
    """Like `grad`, but returns (value, gradient).

    >>> import srcgrad as flow
    >>> def f(x):
    ...     return x * x
    >>> vg = flow.value_and_grad(flow.compile(f, target="python"))
    >>> vg(3.0)
    (9.0, 6.0)
    """
    return _gradient(
        fn, grad_position, argnums, weights, has_aux, return_ids, sens_param, True,
        target=target, parallel=parallel, deterministic=deterministic, tape=tape_of(mode),
    )  # fmt: skip


def elementwise_grad(
    fn: Callable[P, Any],
    grad_position: int | tuple[int, ...] = FIRST,
    has_aux: bool = False,
    *,
    argnums: Argnums = None,
    mode: str | None = None,
) -> Compiled[P, Any]:
    """The derivative of a function that maps each element of an array by itself, at each element.

    It is `grad`, by autograd's name: the sum of the outputs is differentiated. Where an output
    depends on several elements, the result holds the sums of the Jacobian's columns.

    >>> import numpy as np, srcgrad as flow
    >>> f = flow.compile(lambda x: x**3, target="python")
    >>> flow.elementwise_grad(f)(np.array([1.0, 2.0]))
    array([ 3., 12.])
    """
    return grad(fn, grad_position, has_aux=has_aux, argnums=argnums, mode=mode)


def _gradient(
    fn: Any, position: Any, argnums: Any, weights: Any, has_aux: Any, ids: Any, sens: Any,
    with_value: bool, *, tape: str | None, **stated: Any,
) -> Any:  # fmt: skip
    _check_options(**stated)
    stated["tape"] = tape
    for name, given in (("has_aux", has_aux), ("return_ids", ids), ("sens_param", sens)):
        if not isinstance(given, bool):
            raise ArgumentTypeError(
                f"For '_Grad', the '{name}' should be bool, but got {type(given).__name__}"
            )
    positions, bare = positions_of(position, argnums, weights)
    by_weights = checked_weights(weights)
    if sens:
        return Weighted(fn, positions, by_weights, has_aux, ids, with_value, bare, **stated)
    return gradient_of(fn, positions, by_weights, has_aux, ids, with_value, bare, **stated)


def _check_options(target: Any, parallel: Any, deterministic: Any) -> None:
    if target is not None:
        checked_target(target)
    if parallel is not None and not isinstance(parallel, bool):
        raise ArgumentTypeError(
            f"parallel must be True or False, not {parallel!r}", None,
            "the number of threads is NUMBA_NUM_THREADS's: set it before Python starts",
        )  # fmt: skip
    if deterministic is not None and not isinstance(deterministic, bool):
        raise ArgumentTypeError(
            f"deterministic must be True or False, not {deterministic!r}", None,
            "leave it out where the last digits of atomic additions may differ from run to run",
        )  # fmt: skip


@overload
def jvp(
    fn: Callable[..., R], args: Any, tangents: Any, has_aux: Literal[False] = False
) -> tuple[R, Any]: ...
@overload
def jvp(
    fn: Callable[..., Any], args: Any, tangents: Any, has_aux: bool
) -> tuple[Any, Any, Any]: ...
def jvp(fn: Callable[..., Any], args: Any, tangents: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """(out, out_dot): the value and the derivative along `tangents` (one per argument).

    A tangent has the structure, the shapes and the kinds of its argument, None means zero, and
    makes a constant of a whole argument, which then needs no derivative;
    ArgumentValueError or ArgumentTypeError names the leaf with another, and the expected one.
    Integers and other non-floats have none: their tangent is None. With `has_aux` only
    the first output is differentiated: (out, out_dot, the others).

    >>> import srcgrad as flow
    >>> def f(x):
    ...     return x * x
    >>> flow.jvp(flow.compile(f, target="python"), (3.0,), (1.0,))
    (9.0, 6.0)
    """
    function, spec, options = taken_apart(fn)
    args = args if isinstance(args, tuple | list) else (args,)
    tangents = tangents if isinstance(tangents, tuple | list) else (tangents,)
    if len(args) != len(tangents):
        raise ArgumentValueError(
            f"v has invalid length: should be {len(args)}, but got {len(tangents)}"
        )
    arguments = tangent_of(function, spec, options)._bind(tuple(args), {})
    given = by_name(function, spec, tangents)
    compiled = tangent_of(function, spec, options, constants(arguments, given))
    out, dots = compiled._run(arguments, tangents_of(arguments, given, compiled.spec.constant))
    return (out[0], dots[0], aux_of(out)) if has_aux else (out, dots)


def stop_gradient(x: T) -> T:
    """`x` as a constant; arrays are copied, in a compiled function and outside.

    >>> import srcgrad as flow
    >>> def f(x):
    ...     return x * flow.stop_gradient(x)
    >>> flow.value_and_grad(flow.compile(f, target="python"))(3.0)
    (9.0, 3.0)
    """
    return mapped(x, _stopped)


def _stopped(v: Any) -> Any:
    if states(v, "srcgrad_value"):
        return v.detach().clone()  # of a plain tensor
    if states(v, "srcgrad_recorded"):
        return v.srcgrad_recorded()
    return v.copy() if isinstance(v, np.ndarray) else v
