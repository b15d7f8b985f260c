"""Calls of compiled functions with tensors, or capturing some: tensors in, tensors out.

The whole call is one node of the tape (`node`). Results are tensors; a gradient has the kind of its
argument. Numbers and arrays among the arguments are treated as elsewhere. Imported only
where there is a tensor.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.bridge import eager_fallback
from srcgrad.bridge.fast_path import tensor_path
from srcgrad.bridge.kernel import kernel_of
from srcgrad.bridge.node import applied, at_home, called, home_of, raw, wanted
from srcgrad.bridge.recorded.values import is_recorded
from srcgrad.bridge.refused_calls import run_refused
from srcgrad.eager import devices
from srcgrad.eager.create import generators  # noqa: F401 (a hook)
from srcgrad.eager.inplace import check_writable, rebase, touched, write
from srcgrad.eager.tensor import Tensor, make, storage
from srcgrad.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    CompilerError,
    ReturnTypeError,
    SourceError,
    SrcgradError,
    UnsupportedError,
)
from srcgrad.frontend.guards import Hidden
from srcgrad.frontend.handlers.registry import know_tensors
from srcgrad.frontend.kinds import OfTensor
from srcgrad.ir.types import Scalar, float_type
from srcgrad.primitives.libraries import copied, zeros
from srcgrad.tracebacks import entrance
from srcgrad.transforms.fast_path import MOST_FAST
from srcgrad.transforms.program import Program
from srcgrad.transforms.refusals import refuse_tangents
from srcgrad.transforms.signature import stand_in
from srcgrad.transforms.specs import Primal, one_by_one
from srcgrad.transforms.stacking import variadic
from srcgrad.transforms.vjp import adjoints_of
from srcgrad.transforms.weights import is_active
from srcgrad.transforms.writes import refuse_shared, write_back
from srcgrad.tree import filled, is_leaf, leaves, mapped, mapped_by_path, paths


def array_of(value: Any) -> Any:
    """A tensor's array; anything else unchanged."""
    return value._a if isinstance(value, Tensor) else value


def number_of(value: Any) -> Any:
    """A tensor's array, or its number if it has no dims; anything else unchanged."""
    return value.srcgrad_value if isinstance(value, Tensor) else value


def arrays_of(compiled: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments with arrays, marked as a tensor's, in place of tensors."""
    at = number_of if compiled in _WITH_NUMBERS else array_of

    def marked(path: tuple, value: Any) -> Any:
        a = at(value)
        if a is value or not devices.is_array(a):
            return a
        if devices.on_device(a):
            a = stand_in(path, a, compiled.options.target, "a tensor on the CPU: x.cpu()")
        return a.view(OfTensor)

    return {n: mapped_by_path(v, (n,), marked) for n, v in arguments.items()}


know_tensors()
# Functions that treat tensors without dims as numbers, as NumPy's reductions are: those in which
# such a tensor and a number meet under one name. Elsewhere they are arrays, which can be stored to.
_WITH_NUMBERS: weakref.WeakSet[Any] = weakref.WeakSet()


def run(compiled: Any, arguments: dict[str, Any], extra: dict[tuple, Any]) -> Any:
    """Runs a call; `extra` holds tangents by path."""
    if compiled.options.tape == "always":
        return eager_fallback.run_always(compiled, arguments, extra)
    if any(is_recorded(v) for a in (*arguments.values(), *extra.values()) for v in leaves(a)):
        return eager_fallback.run_recorded(compiled, arguments, extra)
    on_tape, refusal = _on_tape(compiled, arguments)
    if on_tape:
        return run_refused(compiled, arguments, refusal)
    try:
        call = Call(compiled, arguments, extra)
        if not extra:
            _refuse_unseen(compiled, call, arguments)
    except (UnsupportedError, SourceError, ReturnTypeError) as error:
        if extra or not eager_fallback.allowed(compiled, arguments):
            raise
        refusal = error.with_traceback(None)  # it is stored, and must not keep these frames alive
        refusal.__context__ = refusal.__cause__ = None
        _REFUSED.setdefault(compiled, {})[_kinds(compiled, arguments)] = refusal
    else:
        return _made(compiled, call, arguments, extra)
    return run_refused(compiled, arguments, refusal)


on_tape = eager_fallback.run


def _refuse_unseen(compiled: Any, call: Call, arguments: dict[str, Any]) -> None:
    """Refuses a gradient whose changes of captured containers the tape would leave to be seen."""
    changes = not call.plain and any(changed for _, changed in call.entry.program.outer)
    if changes and eager_fallback.allowed(compiled, arguments):
        raise UnsupportedError(f"{call.name}() changes a container that it captures")


def _made(compiled: Any, call: Call, arguments: dict[str, Any], extra: dict[tuple, Any]) -> Any:
    """Runs a compiled call and writes its stores back."""
    program = call.entry.program
    if call.stores:
        made = call.applied_with_stores()
    else:
        run = called if call.plain else applied
        made = run(call.kernel, call.inputs, call.entry.run)
        call.note_stores()
    if not extra:
        quicken(compiled, call, arguments)
    for k, parameter in program.state:
        write(parameter, array_of(made[k]))
    out = [call.result(k, v) for k, v in enumerate(made)]
    return write_back(arguments, program, out)


# The refusals of calls that now go to the tape, by compiled object and kinds of the arguments.
_REFUSED: weakref.WeakKeyDictionary[Any, dict[Any, SrcgradError]] = weakref.WeakKeyDictionary()


def _on_tape(compiled: Any, arguments: dict[str, Any]) -> tuple[bool, SrcgradError | None]:
    """Whether a call is known to go to the tape, with the compiler's refusal if there was one."""
    if eager_fallback.preferred(compiled):
        return eager_fallback.allowed(compiled, arguments), None
    known = _REFUSED.get(compiled) if eager_fallback.permitted(compiled) else None
    refusal = known.get(_kinds(compiled, arguments)) if known else None
    return refusal is not None, refusal


def _kinds(compiled: Any, arguments: dict[str, Any]) -> Any:
    plain = arrays_of(compiled, arguments)
    return compiled._key(plain, [p for n, v in plain.items() for p in paths(v, (n,))])


def trained(spec: Any, program: Program) -> tuple[Any, ...]:
    """The Parameters that a plain call stores to, if one is trained: it is a training step.

    A step is not part of a graph through Parameters. Stores to averages and counts alone are those
    of any tensor.
    """
    given = program.hidden if isinstance(spec, Primal) else ()
    stored = [h.parameter for h in given if h.parameter is not None and h.var in program.stored]
    return tuple(stored) if any(p.requires_grad for p in stored) else ()


class Call:
    """One call with tensors: its specialization, and its inputs in order."""

    def __init__(self, compiled: Any, arguments: dict[str, Any], extra: dict[tuple, Any]):
        self.name, self.plain = compiled.__name__, isinstance(compiled.spec, Primal)
        self.entry, captured = _entry_for(compiled, arguments)
        program = self.entry.program
        values = {path: v for n, a in arguments.items() for path, v in paths(a, (n,))}
        refuse_tangents(self.name, program.inputs, extra)
        self.values = {**values, **extra}
        self.trained = trained(compiled.spec, program)
        hidden = [
            v if self.trained and h.parameter is not None else _captured(h, v)
            for h, v in zip(program.hidden, captured, strict=True)
        ]
        self.inputs = [*(self.values[path] for path in program.inputs), *hidden]
        self.kernel = kernel_of(self.entry)
        self.origins = dict(program.origins)
        self.refuse_overlap(self.inputs)
        changes = self.plain and (program.stored or program.writes)
        self.stores = bool(changes and wanted(self.inputs))
        if program.changed or program.outer:
            refuse_shared(arguments, program, self.name)

    def refuse_overlap(self, inputs: list) -> None:
        """Refuses inputs that share memory that is stored to."""
        if self.entry.stored and not self.entry.apart.passes(inputs):
            raise UnsupportedError(
                f"two arguments of {self.name}() share memory that it stores to",
                None,
                "pass copies: f(x, x.clone())",
            )

    def applied_with_stores(self) -> list:
        """The results where stores to tensors are recorded; tensors get their final contents."""
        program = self.entry.program
        places = sorted(program.written)
        for k in places:
            if not isinstance(self.inputs[k], Tensor):
                self._refuse(str(program.order[k][0] if k < len(program.inputs) else "an array"))
            check_writable(self.inputs[k])
        if program.writes:
            self._refuse(str(program.writes[0].path[0]))
        before = list(self.inputs)
        for k in places:  # saved values are not those that will be overwritten
            before[k] = make(before[k]._a.copy(), before[k]._node)
        made = applied(kernel_of(self.entry, storing=True), before)
        n = len(program.function.returns)
        for k, new in zip(places, made[n:], strict=True):
            write(self.inputs[k], array_of(new))
            rebase(self.inputs[k], new._node if isinstance(new, Tensor) else None)
        return made[:n]

    def _refuse(self, name: str) -> None:
        raise UnsupportedError(
            f"{self.name}() stores to '{name}', and its gradient is to be recorded",
            None,
            f"pass tensors, or let it work on a copy: {name} = {name}.copy()",
        )

    def note_stores(self) -> None:
        """Increments the versions of tensors that a plain call stored to."""
        program = self.entry.program
        if not (self.plain and program.stored):
            return
        touched(self.trained)
        for what, v in zip(program.order, self.inputs, strict=True):
            if what in program.stored and isinstance(v, Tensor):
                storage(v).version += 1

    def result(self, k: int, value: Any) -> Any:
        """The k-th result in the caller's form."""
        origin = self.values[self.origins[k]] if k in self.origins else None
        if k in self.origins and not isinstance(origin, Tensor):
            convert = self.entry.converters[k]
            return array_of(value) if convert is None else convert(array_of(value))
        return finished(self.entry, self.inputs, k, value)


def _captured(h: Hidden, value: Any) -> Any:
    """A captured value, recorded or not: a tensor, or an array or number."""
    if h.tensor is not None:
        return h.tensor.fetch()
    return h.parameter if h.parameter is not None and is_active(h.parameter) else value


def finished(entry: Any, inputs: Sequence[Any], k: int, value: Any) -> Any:
    """The k-th result of a call as a tensor; Python's integers and bools unchanged."""
    if isinstance(value, Tensor):
        return value
    convert, type_ = entry.converters[k], entry.program.function.returns[k].type
    if (
        isinstance(type_, Scalar)
        and not float_type(type_)
        and (type_.weak or type_.dtype == "bool")
    ):
        return (
            bool(value) if type_.dtype == "bool" else value if convert is None else convert(value)
        )
    return make(at_home(value if convert is None else convert(value), home_of(inputs)))


def quicken(compiled: Any, call: Call, arguments: dict[str, Any]) -> None:
    """Installs a fast path for calls like this one, if it is a plain one."""
    kinds = tuple(map(type, arguments.values()))
    entry, required = call.entry, compiled._requirements
    if kinds in entry.quick or entry is compiled._pending_fast_path:
        return
    entry.quick.add(kinds)
    plain = compiled._simple and list(arguments) == list(compiled._names)
    static = required.static_leaves or required.static_dims
    program = entry.program
    own = program.returned is not None
    changes = program.changed or program.names or program.outer or program.state or own
    if not plain or static or changes or program.origins:
        return
    if len(call.trained) < len(program.stored):
        return  # the history of a tensor that is stored to is preserved
    run = called if call.plain else applied
    by = (run, finished, eager_fallback.compiles if compiled.options.tape else None)
    fast = tensor_path(entry, arguments, compiled._names, by, call.trained)
    if fast is not None:
        with compiled._lock:
            n = len(kinds)
            others = compiled._fast.get(n, ())[: MOST_FAST - 1]
            compiled._fast = {**compiled._fast, n: (fast, *others)}


def _entry_for(compiled: Any, arguments: dict[str, Any]) -> tuple[Any, list[Any]]:
    """The specialization for these arguments, and the captured values."""

    def found() -> tuple[Any, list[Any]]:
        plain = arrays_of(compiled, arguments)
        return compiled._entry_for(plain, [p for n, v in plain.items() for p in paths(v, (n,))])

    try:
        return found()
    except UnsupportedError as refusal:
        given = [v for n, a in arguments.items() for v in leaves(a)]
        if isinstance(refusal, CompilerError) or compiled in _WITH_NUMBERS:
            raise
        if not any(isinstance(v, Tensor) and not v._a.ndim for v in given):
            raise
        _WITH_NUMBERS.add(compiled)
        try:
            return found()
        except SrcgradError:
            _WITH_NUMBERS.discard(compiled)
            raise refusal from None


def is_float(value: Any) -> bool:
    """Whether a leaf of an argument has a gradient."""
    a = array_of(value)
    array = devices.is_array(a) or isinstance(a, np.generic)
    return (array and a.dtype.kind in "fc") or type(a) is float


def vjp(compiled: Any, arguments: dict[str, Any]) -> tuple[Any, Any]:
    """The value, and the function from adjoints to gradients; both are recorded as usual."""
    callers = {path: v for n, a in arguments.items() for path, v in paths(a, (n,))}
    arguments = {n: mapped(v, kept) for n, v in arguments.items()}
    call = Call(compiled, arguments, {})
    kernel, program = call.kernel, call.entry.program
    first = len(program.inputs)  # captured values too are seen as they are now
    call.refuse_overlap([*map(callers.get, program.inputs), *call.inputs[first:]])
    inputs = [*call.inputs[:first], *map(kept, call.inputs[first:])]
    out = [call.result(k, v) for k, v in enumerate(applied(kernel, call.inputs))]
    value = filled(program.output, out)
    wrt = tuple(k for k, path in enumerate(program.inputs) if is_float(call.values[path]))
    place = {program.inputs[k]: i for i, k in enumerate(wrt)}

    @entrance
    def pull(*adjoints: Any) -> tuple:
        seeds = _seeds(value, adjoints[0] if len(adjoints) == 1 else adjoints)
        made = applied(kernel.pulled(wrt), [*inputs, *seeds])

        def gradient(path: tuple, v: Any) -> Any:
            return _like(v, made[place[path]]) if path in place else None

        given = one_by_one(arguments, variadic(compiled.function))
        return tuple(mapped_by_path(a, path, gradient) for path, a in given)

    return value, pull


def kept(value: Any) -> Any:
    """A copy of a leaf, with its history."""
    if isinstance(value, Tensor):
        return eager_fallback.clone(value)
    return value.copy() if devices.is_array(value) else value


def _like(argument: Any, g: Any) -> Any:
    """A gradient with the kind of its argument."""
    if isinstance(argument, Tensor):
        if isinstance(g, Tensor):
            return g
        return make(at_home(g, home_of((argument,)), argument._a.dtype))
    g = array_of(g)
    return g if devices.is_array(argument) else type(argument)(g)


def _seeds(out: Any, adjoints: Any) -> list:
    """Adjoints of the floating results, in order."""
    pairs = [(v, g) for v, g in adjoints_of(out, adjoints) if isinstance(v, Tensor) and is_float(v)]
    return [fitted(g, v, "an adjoint", "its output") for v, g in pairs]


def fitted(g: Any, like: Any, what: str, whose: str) -> Any:
    """An adjoint or tangent with the dtype and shape of its primal; None is zero."""
    a = devices.array_of(array_of(like))
    if g is None:
        return zeros(a, a.shape)
    if not is_leaf(g):
        raise ArgumentTypeError(f"{what} is a {type(g).__name__}, {whose} a tensor")
    if not isinstance(g, Tensor):
        given = np.asarray(g).dtype if not devices.on_device(g) else g.dtype
        g = copied(devices.array_of(g, given if given.kind == "c" else a.dtype))
    if tuple(g.shape) != a.shape:
        raise ArgumentValueError(f"{what} has shape {tuple(g.shape)}, {whose} {a.shape}")
    if array_of(g).dtype.kind == "c" and a.dtype.kind != "c":
        raise ArgumentTypeError(f"{what} is of complex numbers, {whose} of {a.dtype}")
    if isinstance(g, Tensor) and g._a.dtype != a.dtype:
        return g.to(make(a).dtype)
    return g


__all__ = ["Call", "array_of", "arrays_of", "fitted", "is_float", "raw", "run", "vjp"]
