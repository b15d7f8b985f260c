"""`Compiled`: the callable that `compile` and the transforms return.

It holds a function, a stack of transforms and options, builds a specialization (`Entry`) for each
signature it is called with, under a lock, and runs the one that fits. Entries are immutable.
"""

from __future__ import annotations

import functools
import inspect
import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Concatenate, Generic, Self, overload

from srcgrad import collector, forks, hooks, interrupts
from srcgrad.backends.gpu_arrays import is_on_device
from srcgrad.errors import ArgumentTypeError, ArgumentValueError, Location, UnsupportedError
from srcgrad.faults import building
from srcgrad.frontend.arguments import misfit
from srcgrad.frontend.captured_constants import promote_to_inputs
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.requirements import Requirements, restarted
from srcgrad.frontend.watches import replacements
from srcgrad.ir.types import Array, converter
from srcgrad.printing.shown import Shown
from srcgrad.protocols import tensor_among
from srcgrad.tracebacks import is_entrance, shorten
from srcgrad.transforms.call_lengths import Lengths
from srcgrad.transforms.fast_path import MISS, MOST_FAST, fast_path
from srcgrad.transforms.generic import P, Q, R
from srcgrad.transforms.gradient_warnings import collecting_warnings, warn
from srcgrad.transforms.inspection import ir_of, source_of
from srcgrad.transforms.pickling import of_user, portable, reduced, restored
from srcgrad.transforms.program import Program
from srcgrad.transforms.rebuilds import record_build, why
from srcgrad.transforms.refusals import refuse_tangents
from srcgrad.transforms.reuse import offer, reused
from srcgrad.transforms.self_check import verify, wanted
from srcgrad.transforms.signature import blank, defaults_of, key_under, stand_in, too_wide
from srcgrad.transforms.specialization import Entry, Options, built, guard_of, settled, suited
from srcgrad.transforms.specs import Gradient, Primal
from srcgrad.transforms.stack import (
    GENERATED,
    KINDS,
    check_stage,
    described,
    of_call,
    signature_of,
    transforms,
    weights_of,
)
from srcgrad.transforms.stage_cache import keeping
from srcgrad.transforms.stages import Stage, announced, recording
from srcgrad.transforms.stored_inputs import NoOverlap
from srcgrad.transforms.tape_advice import naming_the_tape
from srcgrad.transforms.writes import refuse_shared, write_back
from srcgrad.tree import mapped, mapped_by_path, paths
from srcgrad.tree.random_generators import States, noted

if TYPE_CHECKING:
    from srcgrad.transforms.annotated.page import Annotation

MOST_ENTRIES = 8  # of one signature, for captured values that alternate


class Compiled(Generic[P, R]):
    """A function under `compile` or a transform. Call it like the function.

    `source(kind)` shows its programs, `ir(kind)` the same with every type, `explain(*args)` the
    stages and their times. Pickles as the function does, which cloudpickle sends by value.
    >>> import srcgrad as flow
    >>> isinstance(flow.grad(flow.sin), flow.Compiled)
    True
    """

    __name__: str  # the function's, as all that `update_wrapper` copies

    def __init__(self, function: Callable[P, Any], spec: Any, options: Options):
        functools.update_wrapper(self, function)
        self.function: Callable[P, Any] = function
        self.spec: Any = spec
        self.options: Options = options
        own = inspect.signature(function)
        self._signature = signature_of(spec, own)
        if self._signature is not own:
            self.__signature__: inspect.Signature = self._signature
        self._defaults = defaults_of(function)
        taken = self._signature.parameters
        self._names = tuple(taken)
        self._simple = all(p.kind <= p.POSITIONAL_OR_KEYWORD for p in taken.values())
        self._requirements = Requirements(weights=weights_of(spec))
        self._entries: dict[Any, tuple[Entry, ...]] = {}
        self._fast: dict[int, tuple[Callable, ...]] = {}  # by the number of arguments
        self._lock = threading.RLock()
        self._last_arguments: dict[str, Any] = {}
        self._replacements = 0  # of names of libraries, when the entries were made
        self._pending_fast_path: Entry | None = None  # gets a fast path at its second call
        self._unverified: list[Entry] = []  # gradients that are yet to be checked

    def __repr__(self) -> str:
        return f"<srcgrad.{described(self.spec)} of {self._title()} on {self.options.target}>"

    def _title(self) -> str:
        shown = f"{self.__name__}{self._signature}"
        return shown if len(shown) <= 60 else f"{self.__name__}(...)"

    @overload
    def __get__(self, instance: None, owner: Any = None) -> Self: ...
    @overload
    def __get__(
        self: Compiled[Concatenate[Any, Q], R], instance: object, owner: Any = None
    ) -> Callable[Q, R]: ...
    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __reduce__(self) -> Any:
        return restored, reduced(self, transforms(self.spec))

    @functools.cached_property
    def portable(self) -> Callable[..., Any]:
        """A copy of the function for pickle, where its own name is bound to this object."""
        made = portable(of_user(self.function))
        vars(made)["srcgrad_original"] = of_user(self.function)
        return made

    # ---- calling ----
    @is_entrance
    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            try:
                if not kwargs:
                    for fast in self._fast.get(len(args), ()):
                        out = fast(*args)
                        if out is not MISS:
                            return out
                return self._run(self._bind(args, kwargs), {})
            except OverflowError as error:
                raise too_wide(error, self.__name__, self._bind(args, kwargs)) from None
        except BaseException as error:
            shorten(error)
            raise

    def _bind(self, args: tuple, kwargs: dict[str, Any]) -> dict[str, Any]:
        if not kwargs and self._simple and len(args) == len(self._names):
            return dict(zip(self._names, args, strict=True))
        if (now := defaults_of(self.function)) != self._defaults:
            self._signature = signature_of(self.spec, inspect.signature(self.function))
            self._defaults = now
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError:
            text = misfit(self.__name__, self._signature, args, kwargs)
            raise ArgumentTypeError(str(text)) from None
        bound.apply_defaults()
        return dict(bound.arguments)

    def _run(self, arguments: dict[str, Any], extra: dict[tuple, Any]) -> Any:
        """Calls the backend; `extra` holds tangents and seeds by path."""
        given = [pair for n, v in arguments.items() for pair in paths(v, (n,))]
        on_tape = self.options.tape == "always"
        if on_tape or self._requirements.weights or tensor_among((*given, *extra.items())):
            return hooks.tensor_calls().run(self, arguments, extra)
        with naming_the_tape(self, arguments):
            entry, captured = self._entry_for(arguments, given)
        if entry.tensors:
            return hooks.tensor_calls().run(self, arguments, extra)
        values = dict(given)
        values.update(extra)
        inputs = [*[values[path] for path in entry.program.inputs], *captured]
        if entry.stored and not entry.apart.passes(inputs):
            return self._overlapping(arguments, inputs)
        if extra:
            refuse_tangents(self.__name__, entry.program.inputs, extra)
            inputs += [values[("seed", k)] for k in range(len(extra)) if ("seed", k) in values]
        if entry.program.changed or entry.program.outer:
            refuse_shared(arguments, entry.program, self.__name__)
        if self._unverified:
            with noted() as states:
                raw = entry.run(*inputs)
            self._verify(entry, arguments, extra, raw, states)
        else:
            raw = entry.run(*inputs)
        out = [v if c is None else c(v) for v, c in zip(raw, entry.converters, strict=True)]
        return write_back(arguments, entry.program, out)

    def _verify(
        self, entry: Entry, arguments: dict[str, Any], extra: Any, raw: tuple, states: States
    ) -> None:
        """Checks the results of an entry's first call; only then may calls take the fast path."""
        if any(e is entry for e in self._unverified):
            verify(self, entry, arguments, extra, raw, states)
            self._unverified = [e for e in self._unverified if e is not entry]
            self._install_fast_path(entry, arguments)

    def has_tensors(self, arguments: dict[str, Any]) -> bool:
        """Whether a call with these arguments is on tensors: some are tensors, or captures are."""
        given = [pair for n, v in arguments.items() for pair in paths(v, (n,))]
        return tensor_among(given) or self._entry_for(arguments, given)[0].tensors

    def _entry_for(self, arguments: dict[str, Any], given: list) -> tuple[Entry, list[Any]]:
        """The entry compiled for arguments like these, and the captured values of this call."""
        for entry in self._entries.get(self._key(arguments, given), ()):
            captured = entry.captured()
            if captured is not None and entry.fits(given, captured):
                if entry is self._pending_fast_path:  # made by another object: many are called once
                    self._pending_fast_path = None
                    self._install_fast_path(entry, arguments)
                return entry, captured
        entry = self._specialise(arguments, given)
        return entry, [g.fetch() for g in entry.inputs]

    def _key(self, arguments: dict[str, Any], given: list[tuple[tuple, Any]]) -> tuple:
        d = self._requirements
        return key_under(arguments, given, d.static_leaves, d.static_dims)

    def _overlapping(self, arguments: dict[str, Any], inputs: list[Any]) -> Any:
        """Handles arguments that share memory that the function stores to."""
        device = any(map(is_on_device, inputs))  # their arrays index and raise differently
        if isinstance(self.spec, Primal) and not device:
            bound = inspect.BoundArguments(self._signature, OrderedDict(arguments))
            return self.function(*bound.args, **bound.kwargs)  # NumPy's own result
        raise UnsupportedError(
            f"two arguments of {self.__name__}() {'may ' * device}share memory that it stores to",
            None,
            "pass copies: f(x, x.copy())",
        )

    # ---- building ----
    def _building(self) -> AbstractContextManager[None]:
        code = self.function.__code__
        home = Location(code.co_filename, code.co_firstlineno, function=self.__name__)
        return building(self.__name__, home)

    def _specialise(self, arguments: dict[str, Any], given: list) -> Entry:
        with forks.held(), self._lock, self._building(), interrupts.held(), collector.gc_paused():
            self._forget_replaced()
            stale = self._entries.get(self._key(arguments, given), ())
            if any([is_on_device(v) for _, v in given]):
                return self._on_host_arrays(arguments, given)
            known = None
            for entry in stale:
                captured = entry.captured()
                if captured is None:
                    promote_to_inputs(entry.program.guards, self._requirements)
                elif entry.fits(given, captured):
                    return entry  # another thread was first
                else:
                    known = entry.program.lengths
            reason = why(self, given, stale)
            under = functools.partial(key_under, arguments, given)
            entry, shared = reused(self, under, given)
            found = entry is not None
            entry = entry or self._built(arguments, known or shared)
            warn(entry.program.zeros)
            key = self._key(arguments, given)
            # a new tuple each time: other threads read without the lock
            self._entries[key] = (entry, *self._entries.get(key, ()))[:MOST_ENTRIES]
            self._last_arguments = {n: mapped(v, blank) for n, v in arguments.items()}
            if wanted() and isinstance(self.spec, Gradient):
                self._unverified.append(entry)
            elif found:
                self._pending_fast_path = entry
            else:
                self._install_fast_path(entry, arguments)
            if not found:
                offer(self, entry, under)
                record_build(self, reason)
            return entry

    def _forget_replaced(self) -> None:
        """Drops what was built before a name of a library was bound anew."""
        if (now := replacements()) != self._replacements:
            self._entries, self._fast, self._replacements = {}, {}, now

    def _on_host_arrays(self, arguments: dict[str, Any], given: list) -> Entry:
        """The entry compiled for host arrays in place of a GPU's among the arguments."""
        at = functools.partial(stand_in, target=self.options.target)
        shown = {n: mapped_by_path(v, (n,), at) for n, v in arguments.items()}
        entry, _ = self._entry_for(shown, [p for n, v in shown.items() for p in paths(v, (n,))])
        key = self._key(arguments, given)
        others = [e for e in self._entries.get(key, ()) if e is not entry]
        self._entries[key] = (entry, *others)[:MOST_ENTRIES]
        return entry

    def _install_fast_path(self, entry: Entry, arguments: dict[str, Any]) -> None:
        """Installs a fast path for this signature, if it is a plain one."""
        given, n = [p for a, v in arguments.items() for p in paths(v, (a,))], len(self._names)
        fast = fast_path(entry, given, self._names, self._requirements) if self._simple else None
        others = self._fast.get(n, ())[: MOST_FAST - 1]
        self._fast = {} if fast is None else {**self._fast, n: (fast, *others)}

    def _program(
        self, arguments: dict[str, Any], known: Lengths | None = None, any_lengths: bool = False
    ) -> tuple[Program, list[Stage], int]:
        """The program for arguments like these, its stages, and the number of its restarts.

        `known`: the lengths of an existing program, for other lengths than these arguments have.
        """
        spec = self.spec if any_lengths else of_call(self.spec, known)

        def attempt() -> tuple[Program, list[Stage]]:
            with suited(self.options), recording() as stages, collecting_warnings() as zeros:
                program = spec.program(arguments, self._requirements)
                return replace(program, zeros=tuple(zeros)), stages

        self._requirements.forget_kinds()
        (program, stages), restarts = restarted(attempt, self.__name__)
        return program, stages, restarts

    def _built(self, arguments: dict[str, Any], known: Lengths | None) -> Entry:
        with keeping(self.options.cache), announced(self.__name__):
            return self._made(arguments, known)

    def _made(self, arguments: dict[str, Any], known: Lengths | None) -> Entry:
        whole, stages, restarts = self._program(arguments, known)
        whole.refuse_calls(self.options.parallel)
        with recording() as more:
            program = replace(whole, function=settled(whole.function))
            executable = built(program.function, self.options)
        for h in program.hidden:
            stand_in((h.name,), h.path.fetch(), self.options.target, what="captured")
        arrays = [p for p in program.function.params if isinstance(p.type, Array)]
        stored = program.unshared if len(arrays) > 1 else frozenset()
        shapes = any(path[0] == "hidden" for path, _ in self._requirements.static_dims)
        return Entry(
            program,
            executable,
            tuple([guard_of(h, shapes) for h in program.hidden]),
            tuple(converter(a.type) for a in program.function.returns),
            stored,
            (*stages, *more),
            restarts,
            whole,
            self.options,
            any(h.tensor is not None or h.parameter is not None for h in program.hidden),
            NoOverlap(len(program.inputs), stored),
        )

    # ---- inspection ----
    def source(self, /, kind: str = "primal", *args: Any, **kwargs: Any) -> str:
        """The text of a stage: "primal", "adjoint", "tangent", "numba", "llvm", "asm", "cuda".

        Of the signature of the given arguments, or of the last one compiled. The adjoint of a
        gradient is that of its own positions; of a gradient of a gradient, the outer one's. The
        first three are modules of NumPy, for reading: without the checks of indices and shapes;
        `ir` gives the same programs exactly, `flow.export` a file to be used. The next three run on
        the cpu: as loops in Python, as compiled, as assembly. The last one runs on target="cuda".
        """
        check_stage(kind, (*KINDS, *GENERATED))
        with self._building():
            return source_of(self, kind, self._asked(args, kwargs))

    def ir(self, /, kind: str = "primal", *args: Any, **kwargs: Any) -> str:
        """The typed program of a stage: "primal", "adjoint" or "tangent".

        One primitive a line, every type spelled; the reference backend runs this very text.
        """
        check_stage(kind, KINDS)
        with self._building():
            return ir_of(self, kind, self._asked(args, kwargs))

    def explain(self, /, *args: Any, **kwargs: Any) -> str:
        """Describes the program built for these arguments, stage by stage, as a text."""
        from srcgrad.transforms.explain import explain

        with self._building():
            return Shown(explain(self, self._asked(args, kwargs)))

    def annotate(
        self, /, *args: Any, path: str | os.PathLike[str] | None = None, **kwargs: Any
    ) -> Annotation:
        """A page that shows the gradient for these arguments: see `flow.annotate`."""
        from srcgrad.transforms.annotated.facts import facts
        from srcgrad.transforms.annotated.page import Annotation

        with self._building():
            made = Annotation(facts(self, self._asked(args, kwargs)))
        if path is not None:
            made.save(path)
        return made

    def _asked(self, args: tuple, kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments of an inspection: the given ones, else like the last compiled."""
        if args or kwargs:
            arguments = self._bind(args, kwargs)
            tensors = tensor_among([p for n, a in arguments.items() for p in paths(a, (n,))])
            return hooks.tensor_calls().arrays_of(self, arguments) if tensors else arguments
        if self._names and not self._last_arguments:
            raise ArgumentValueError("call the function once first, or pass arguments")
        return self._last_arguments

    def srcgrad_inline(self, it: Interpreter, args: Any, kwargs: Any, node: Node) -> Any:
        """Inlines this function; called by the frontend where a compiled function calls it."""
        return hooks.inliner().inline(self, it, args, kwargs, node)
