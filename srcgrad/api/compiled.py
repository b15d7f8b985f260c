"""The callable that users hold: it specialises on the kinds of its arguments and runs a backend.

One `Compiled` holds a function, a stack of transforms and options; one `Entry` a signature. Built
under a lock, immutable afterwards.
"""

from __future__ import annotations

import functools
import inspect
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcgrad.api.program import Gradient, Primal, Program, Tangent
from srcgrad.api.structure import converter, filled, key_of, leaves
from srcgrad.errors import ArgumentValueError, UnsupportedError
from srcgrad.frontend.captures import Demands, Respecialise
from srcgrad.ir.text import to_text
from srcgrad.ir.types import Array
from srcgrad.primitives import REGISTRY

TARGETS = ("cpu", "python")
MOST_RESTARTS = 40


@dataclass(frozen=True)
class Options:
    target: str = "cpu"
    cache: bool = True
    fastmath: bool = False


@dataclass
class Entry:
    """A compiled signature."""

    program: Program
    run: Callable[..., tuple]
    hidden: list[Callable[[], Any]]
    converters: list[Callable | None]
    check_overlap: bool
    times: dict[str, float] = field(default_factory=dict)

    def guards_hold(self) -> bool:
        return all(g.holds() for g in self.program.guards)


class Compiled:
    """A function under `compile` or a transform. Call it like the function.

    `source(kind)` shows its IR or generated code, `explain(*args)` what was built and how long it
    took. Pickles by reference to the function.
    """

    def __init__(self, function: Callable, spec: Any, options: Options):
        functools.update_wrapper(self, function)
        self.function, self.spec, self.options = function, spec, options
        self._signature = inspect.signature(function)
        self._names = tuple(self._signature.parameters)
        self._simple = all(
            p.kind is p.POSITIONAL_OR_KEYWORD for p in self._signature.parameters.values()
        )
        self._demands = Demands()
        self._entries: dict[Any, Entry] = {}
        self._lock = threading.RLock()
        self._last: Entry | None = None
        self._last_arguments: dict[str, Any] = {}

    def __repr__(self) -> str:
        kinds = {Gradient: "grad", Tangent: "jvp", Primal: "compile"}
        kind = kinds[type(self.spec)]
        if isinstance(self.spec, Gradient) and self.spec.with_value:
            kind = "value_and_grad"
        return f"<srcgrad.{kind} of {self.__name__} on {self.options.target}>"  # type: ignore[attr-defined]

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __reduce__(self) -> Any:
        return Compiled, (self.function, self.spec, self.options)

    # ---- calling ----
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        arguments = self._bind(args, kwargs)
        return self._run(arguments, {})

    def _bind(self, args: tuple, kwargs: dict[str, Any]) -> dict[str, Any]:
        if not kwargs and self._simple and len(args) == len(self._names):
            return dict(zip(self._names, args, strict=True))
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return dict(bound.arguments)

    def _run(self, arguments: dict[str, Any], extra: dict[tuple, Any]) -> Any:
        """Call the backend; `extra` holds tangents and seeds by path."""
        given = [pair for n, v in arguments.items() for pair in leaves(v, (n,))]
        key = tuple([key_of(v) for _, v in given])
        if self._demands.static_leaves or self._demands.static_dims:
            key = (key, self._static_key(given))
        entry = self._entries.get(key)
        if entry is None or not entry.guards_hold():
            entry, key = self._specialise(arguments, given, key, entry)
        values = dict(given)
        values.update(extra)
        inputs = [values[path] for path in entry.program.inputs]
        if entry.check_overlap and _overlap(inputs, entry.program.written):
            return self._overlapping(arguments)
        inputs += [fetch() for fetch in entry.hidden]
        if extra:
            inputs += [values[("seed", k)] for k in range(len(extra)) if ("seed", k) in values]
        raw = entry.run(*inputs)
        out = [v if c is None else c(v) for v, c in zip(raw, entry.converters, strict=True)]
        return filled(entry.program.output, out)

    def _static_key(self, given: list[tuple[tuple, Any]]) -> tuple:
        d = self._demands
        values = [v for path, v in given if path in d.static_leaves]
        dims = [
            v.shape[axis] for path, v in given for at, axis in sorted(d.static_dims, key=repr) if at == path
        ]
        return tuple(values), tuple(dims)

    def _overlapping(self, arguments: dict[str, Any]) -> Any:
        """Arguments share memory that the function stores to."""
        if isinstance(self.spec, Primal):
            return self.function(**arguments)  # NumPy's own result
        raise UnsupportedError(
            f"two arguments of {self.__name__}() share memory that it stores to",  # type: ignore[attr-defined]
            None,
            "pass copies: f(x, x.copy())",
        )

    # ---- building ----
    def _specialise(
        self, arguments: dict[str, Any], given: list, key: Any, stale: Entry | None
    ) -> tuple[Entry, Any]:
        with self._lock:
            if stale is not None:
                self._demote(stale)
            program, times = self._program(arguments)
            if self._demands.static_leaves or self._demands.static_dims:
                key = (tuple([key_of(v) for _, v in given]), self._static_key(given))
            entry = self._entry(program, times)
            self._entries[key] = entry
            self._last, self._last_arguments = entry, arguments
            return entry, key

    def _demote(self, stale: Entry) -> None:
        """A captured number that changed becomes an input: no new code for each value."""
        for guard in stale.program.guards:
            if not guard.holds() and isinstance(guard.value, int) and not isinstance(guard.value, bool):
                self._demands.inputs.add(guard.key)
        self._entries.clear()

    def _program(self, arguments: dict[str, Any]) -> tuple[Program, dict[str, float]]:
        start = time.perf_counter()
        for _ in range(MOST_RESTARTS):
            try:
                program = self.spec.program(arguments, self._demands)
                return program, {"IR": time.perf_counter() - start}
            except Respecialise:
                continue
        raise UnsupportedError(f"{self.__name__}() needs too many specialisations")  # type: ignore[attr-defined]

    def _entry(self, program: Program, times: dict[str, float]) -> Entry:
        run = build(program, self.options)
        returns = program.function.returns
        arrays = [p for p in program.function.params if isinstance(p.type, Array)]
        return Entry(
            program,
            run,
            [h.fetch for h in program.hidden],
            [converter(a.type) for a in returns],
            bool(program.written) and len(arrays) > 1,
            times,
        )

    # ---- what users see ----
    def source(self, kind: str = "primal", *args: Any, **kwargs: Any) -> str:
        """The text of a stage: "primal", "adjoint", "tangent" (IR) or "numba" (generated code).

        Of the signature of the given arguments, or of the last one compiled.
        """
        stages = ("primal", "adjoint", "tangent", "numba")
        if kind not in stages:
            raise ArgumentValueError(f"source({kind!r}): choose one of {', '.join(stages)}")
        arguments = self._bind(args, kwargs) if args or kwargs else self._last_arguments
        if not arguments and self._names:
            raise ArgumentValueError("call the function once first, or pass arguments to source()")
        if kind == "numba":
            program, _ = self._program(arguments)
            return build(program, Options(cache=False)).source  # type: ignore[attr-defined]
        spec = _base(self.spec)
        if kind == "adjoint":
            spec = Gradient(spec, _positions(self.spec), bare=False, with_value=True)
        elif kind == "tangent":
            spec = Tangent(spec)
        shown = Compiled(self.function, spec, self.options)
        shown._demands = self._demands
        program, _ = shown._program(arguments)
        return to_text(program.function)

    def explain(self, *args: Any, **kwargs: Any) -> str:
        """What was built for these arguments, stage by stage, as a text."""
        from srcgrad.api.explain import explain

        return explain(self, self._bind(args, kwargs))

    def srcgrad_inline(self, it: Any, args: list, kwargs: dict, node: Any) -> Any:
        """Called by the frontend where a compiled function calls this one."""
        from srcgrad.api.inline import inline

        return inline(self, it, args, kwargs, node)


def build(program: Program, options: Options) -> Callable[..., tuple]:
    """The program's function as a callable of the chosen target."""
    if options.target == "python":
        from srcgrad.backends.python import build as build_python

        return build_python(program.function, REGISTRY)
    from srcgrad.backends.cpu.build import build as build_cpu
    from srcgrad.passes.pipeline import lowered

    function = lowered(program.function, REGISTRY)
    return build_cpu(function, REGISTRY, fastmath=options.fastmath, cache=options.cache)


def _base(spec: Any) -> Any:
    while not isinstance(spec, Primal):
        spec = spec.inner
    return spec


def _positions(spec: Any) -> tuple[int, ...] | None:
    while not isinstance(spec, Primal):
        if isinstance(spec, Gradient) and not spec.seeded:
            return spec.positions
        spec = spec.inner
    return (0,)


def _overlap(inputs: list[Any], written: set[int]) -> bool:
    """Whether an array that is stored to shares memory with another argument."""
    arrays = [(k, v) for k, v in enumerate(inputs) if isinstance(v, np.ndarray)]
    return any(
        k in written and j != k and np.may_share_memory(v, w) and np.shares_memory(v, w)
        for k, v in arrays
        for j, w in arrays
    )
