"""`vjp`: a value, and the function from adjoints of the outputs to gradients of the arguments."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any, Literal, overload

import numpy as np

from srcgrad import hooks
from srcgrad.backends.gpu_arrays import is_on_device, on_device
from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.frontend.values import contrasted, describe
from srcgrad.tracebacks import entrance
from srcgrad.transforms.compiled import Compiled
from srcgrad.transforms.generic import P, R
from srcgrad.transforms.snapshot import Moment, changed
from srcgrad.transforms.specialization import Options
from srcgrad.transforms.specs import Gradient, Protected
from srcgrad.transforms.stacking import aux_of, is_float, taken_apart, variadic
from srcgrad.transforms.weights import checked_weights
from srcgrad.tree import is_leaf, leaves, mapped, matched, spelled
from srcgrad.tree.random_generators import noted, replayed

Pullback = Callable[..., tuple[Any, ...]]


@overload
def vjp(fn: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> tuple[R, Pullback]: ...
@overload
def vjp(
    fn: Callable[..., R], *args: Any, weights: Any, has_aux: Literal[False] = False, **kwargs: Any
) -> tuple[R, Callable[..., Any]]: ...
@overload
def vjp(
    fn: Callable[..., Any], *args: Any, has_aux: bool, weights: Any = None, **kwargs: Any
) -> tuple[Any, Callable[..., Any], Any]: ...
def vjp(
    fn: Callable[..., Any], *args: Any, weights: Any = None, has_aux: bool = False, **kwargs: Any
) -> tuple[Any, ...]:
    """(out, vjp_fn): the value, and the function from adjoints of the outputs to gradients.

    `vjp_fn` takes one adjoint per output (its structure) and returns a tuple, one entry per
    argument in the order of the signature, keywords too; arguments without floats get None. It
    may be called any number of times, and sees the arguments as they were; AutogradError if a
    captured value has changed since. With `weights` it returns (gradients by arguments, gradients
    by weights); with `has_aux` only the first output counts, and (out, vjp_fn, the others) is
    returned.

    >>> import srcgrad as flow
    >>> def f(x, y):
    ...     return x * y
    >>> out, pull = flow.vjp(flow.compile(f, target="python"), 3.0, 2.0)
    >>> out, pull(1.0)
    (6.0, (2.0, 3.0))
    """
    if weights is not None or has_aux:
        return _vjp_by_weights(fn, args, kwargs, checked_weights(weights), has_aux)
    primal, pulled = _pair_of(*taken_apart(fn))
    arguments = primal._bind(args, kwargs)
    if primal.has_tensors(arguments):
        return hooks.tensor_calls().vjp(primal, arguments)
    # on the caller's own arrays: copies, and results, would not share memory where these do
    with noted() as states:
        out = primal._run(arguments, {})
    moment, arguments = Moment(primal, arguments), _copied(arguments)

    @entrance
    def vjp_fn(*adjoints: Any) -> tuple:
        if len(adjoints) == 1:
            adjoints_ = adjoints[0]
        else:
            adjoints_ = tuple(adjoints)
        seeds = _seeds(out, adjoints_)
        moment.check()
        with replayed(states):
            return pulled._run(arguments, seeds)[1]

    return out, vjp_fn


def _vjp_by_weights(
    fn: Any, args: tuple, kwargs: dict[str, Any], weights: Any, has_aux: bool
) -> tuple[Any, ...]:
    """`vjp` by the sum of outputs times adjoints, which runs the function at each call."""
    from srcgrad.transforms.weighted import Weighted

    kept = hooks.tensor_calls().kept
    gradient = Weighted(fn, None, weights, has_aux, False, False)
    args, kwargs = mapped((args, kwargs), kept)
    now, named = mapped((args, kwargs), kept)
    with noted(*hooks.tensor_calls().generators()) as states:
        out = fn(*now, **named)
    parameters = weights.parameters if weights is not None else ()
    versions = [w._version for w in parameters]

    @entrance
    def vjp_fn(*adjoints: Any) -> tuple:
        for w, version in zip(parameters, versions, strict=True):
            if w._version != version:
                raise changed(w.name)
        with replayed(states):
            made = gradient(*args, adjoints[0] if len(adjoints) == 1 else adjoints, **kwargs)
        return made[0] if has_aux else made

    return (out[0], vjp_fn, aux_of(out)) if has_aux else (out, vjp_fn)


@functools.lru_cache(maxsize=512)
def _pair_of(function: Any, spec: Any, options: Options) -> tuple[Compiled, Compiled]:
    """The function on copies of arguments that it stores to, and its reverse for every argument."""
    gradient = Gradient(
        spec, None, bare=False, with_value=True, seeded=True, variadic=variadic(function)
    )
    return Compiled(function, Protected(spec), options), Compiled(function, gradient, options)


def _copied(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments as they are now: a vjp function does not see later changes.

    An object without parts, such as a module, is read like captured values: it is watched.
    """

    def kept(leaf: Any) -> Any:
        holds = isinstance(leaf, np.ndarray | set) or is_on_device(leaf)
        return copy.deepcopy(leaf) if holds else leaf

    return {n: mapped(v, kept) for n, v in arguments.items()}


def _seeds(out: Any, adjoints: Any) -> dict[tuple, Any]:
    """Adjoints by the number of the floating output they belong to, with its dtype and shape."""
    if is_leaf(out) and not is_leaf(adjoints):
        given = [v for v in leaves(adjoints) if v is not None]
        adjoints = given[0] if len(given) == 1 else adjoints
    pairs = adjoints_of(out, adjoints)
    for v, _ in pairs:
        if not is_float(v) and _holds_floats(v):
            said = f"the output has a {type(v).__name__}, an object whose parts take no adjoints"
            raise ArgumentTypeError(said, None, "return its numbers in a tuple or a dataclass")
    floats = [(v, g) for v, g in pairs if is_float(v)]
    return {("seed", k): _adjoint(v, g) for k, (v, g) in enumerate(floats)}


def _holds_floats(v: Any, around: tuple[int, ...] = ()) -> bool:
    """Whether an output is a floating number or array, or a plain instance with one."""
    if is_float(v) or id(v) in around:
        return is_float(v)
    parts = [] if is_leaf(v) else leaves(v)
    if is_leaf(v):
        slots = [n for c in type(v).__mro__ for n in vars(c).get("__slots__", ()) if hasattr(v, n)]
        parts = [*getattr(v, "__dict__", {}).values(), *(getattr(v, n) for n in slots)]
    return any(_holds_floats(part, (*around, id(v))) for part in parts)


def adjoints_of(out: Any, adjoints: Any) -> list[tuple[Any, Any]]:
    """The leaves of an output, each with its adjoint; None is zero, for several leaves too."""

    def refuse(path: tuple, given: Any, like: Any) -> None:
        is_, wanted = contrasted(given, like)
        at = f" at {spelled(('out', *path))}" if path else ""
        raise ArgumentValueError(
            f"the adjoints do not have the structure of the outputs: there is {is_}{at}, not "
            f"{wanted}",
            None,
            "None means zero",
        )

    return [(leaf, g) for _, leaf, g in matched(out, adjoints, refuse)]


def _adjoint(out: Any, g: Any) -> Any:
    """An adjoint with the dtype and shape of its output, in C order; None is zero."""
    if is_on_device(out):
        return on_device(g, out, "an adjoint", "its output")
    kind, shape = np.asarray(out).dtype, np.shape(out)
    given = np.zeros(shape, kind) if g is None else np.asarray(g)
    if not np.can_cast(given.dtype, kind, "same_kind"):
        raise ArgumentTypeError(
            f"an adjoint is {describe(g)} of {given.dtype}, its output is of {kind}"
        )
    if given.shape != shape:
        raise ArgumentValueError(f"an adjoint has shape {given.shape}, its output {shape}")
    if isinstance(out, np.ndarray):
        return np.array(given, kind, order="C")
    return type(out)(given[()])
