"""The tape as the other mode of the transforms: the function runs on tensors, and is recorded.

Functions that the compiler refuses (they catch exceptions, change objects, convert to NumPy) are
still differentiated here, if everything they are differentiated with respect to is a tensor. The
interface and the nesting of results are the same. Never compiles.
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.bridge.recorded.calls import of_compiled
from srcgrad.bridge.recorded.given import OfArray, kept, lifted, like, lowered, of_kind, shown
from srcgrad.bridge.recorded.refusals import never_caught, refuse
from srcgrad.bridge.recorded.surroundings import Surroundings
from srcgrad.bridge.recorded.values import is_recorded, raw
from srcgrad.bridge.tape_jacobians import diagonal, product, rows, total
from srcgrad.bridge.views import overlap
from srcgrad.eager import engine
from srcgrad.eager.apply import recording
from srcgrad.eager.functions import TABLE
from srcgrad.eager.graph import Leaf
from srcgrad.eager.mode import differentiated, enable_grad
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import ArgumentTypeError, ArgumentValueError, SrcgradError, UnsupportedError
from srcgrad.transforms.jacobian_program import Jacobian
from srcgrad.transforms.refusals import no_float
from srcgrad.transforms.second_order import Hessian, HessianDiagonal, HessianProduct, SecondOrder
from srcgrad.transforms.specs import ByPosition, Gradient, Primal, is_gradients
from srcgrad.transforms.weights import active, is_outer, not_floating
from srcgrad.tree import at_path, leaves, mapped, mapped_by_path, paths, with_whole

clone = TABLE["clone"].function  # the method of a Parameter makes another Parameter
GRAPH_MODE, PYNATIVE_MODE = 0, 1
_context: dict[str, Any] = {"mode": None, "device_target": "CPU"}
# MindSpore's other options, which change nothing here
_OTHERS = frozenset(
    [
        "aoe_config",
        "aoe_tune_mode",
        "ascend_config",
        "auto_tune_mode",
        "check_bprop",
        "compile_cache_path",
        "debug_level",
        "deterministic",
        "device_id",
        "disable_format_transform",
        "enable_auto_mixed_precision",
        "enable_compile_cache",
        "enable_dump",
        "enable_graph_kernel",
        "enable_reduce_precision",
        "enable_sparse",
        "env_config_path",
        "exec_order",
        "gpu_config",
        "grad_for_scalar",
        "graph_kernel_flags",
        "inter_op_parallel_num",
        "jit_config",
        "jit_syntax_level",
        "max_call_depth",
        "max_device_memory",
        "memory_offload",
        "memory_optimize_level",
        "mempool_block_size",
        "op_timeout",
        "precompile_only",
        "print_file_path",
        "pynative_synchronize",
        "reserve_class_name_in_scope",
        "runtime_num_threads",
        "save_dump_path",
        "save_graphs",
        "save_graphs_path",
        "support_binary",
        "variable_memory_max_size",
    ]
)


def set_context(**options: Any) -> None:
    """Sets how transforms of plain functions handle tensors, in the whole process.

    `mode`: GRAPH_MODE compiles, or refuses; PYNATIVE_MODE uses the tape; None, the initial value,
    compiles, and uses the tape where the compiler refuses. `device_target` can only be "CPU".
    Other options of MindSpore's are stored and change nothing. ValueError for other values of these
    two, and for unknown options.

    >>> import srcgrad as flow
    >>> flow.set_context(mode=flow.GRAPH_MODE)
    >>> flow.get_context("mode")
    0
    >>> flow.set_context(mode=None)
    """
    for key in options:
        _check_known("set_context", key)
    mode, target = options.get("mode"), options.get("device_target", "CPU")
    if mode not in (None, GRAPH_MODE, PYNATIVE_MODE):
        raise ArgumentValueError(
            "For 'context.set_context', the argument 'mode' should be context.GRAPH_MODE (0) or "
            f"context.PYNATIVE_MODE (1), but got {mode}."
        )
    if target != "CPU":
        raise ArgumentValueError(
            "For 'context.set_context', the argument 'device_target' must be one of ['CPU'], but "
            f"got {target}.",
            None,
            "code runs on the CPU only: leave device_target out",
        )
    _context.update(options)


def get_context(attr_key: str) -> Any:
    """An option that `set_context` has set, or None; ValueError for an unknown option.

    >>> import srcgrad as flow
    >>> flow.get_context("mode") in (flow.GRAPH_MODE, flow.PYNATIVE_MODE)
    False
    """
    _check_known("get_context", attr_key)
    return _context.get(attr_key)


def _check_known(name: str, key: str) -> None:
    if key not in _context and key not in _OTHERS:
        raise ArgumentValueError(
            f"For 'context.{name}', the keyword argument {key} is not recognized!", None,
            "options with an effect are mode= and device_target=",
        )  # fmt: skip


def preferred(compiled: Any) -> bool:
    """Whether the calls of a transform are made on the tape from the start."""
    return bool(compiled.options.tape) and not compiles()


def compiles() -> bool:
    """Whether transforms of plain functions are compiled, if they can be."""
    return _context["mode"] != PYNATIVE_MODE


def permitted(compiled: Any) -> bool:
    """Whether a transform may use the tape at all."""
    return bool(compiled.options.tape) and _context["mode"] != GRAPH_MODE


def allowed(compiled: Any, arguments: dict[str, Any]) -> bool:
    """Whether a call that the compiler refuses may be made on the tape."""
    if not permitted(compiled):
        return False
    spec = compiled.spec
    while isinstance(spec, ByPosition):
        given = [v for at, value in spec.slots(arguments) for v in leaves(value)]
        if spec.positions is not None and any(map(_is_float, given)):
            return False
        arguments, spec = spec.below(arguments), spec.inner
    return isinstance(spec, Primal)


def _is_float(v: Any) -> bool:
    """Whether a leaf that is not a tensor has a gradient."""
    number = isinstance(v, np.ndarray | np.generic) and v.dtype.kind in "fc"
    return number or isinstance(v, float)


def run(compiled: Any, arguments: dict[str, Any]) -> Any:
    """Runs a stack of gradients on the tape: of tensors, or of arrays and numbers."""
    if any(isinstance(v, Tensor) for a in arguments.values() for v in leaves(a)):
        return _run(compiled, arguments, arguments)
    given = {n: mapped(v, lifted, with_whole) for n, v in arguments.items()}
    return mapped(_run(compiled, given, arguments), lowered)


def run_always(compiled: Any, arguments: dict[str, Any], extra: dict[tuple, Any]) -> Any:
    """Runs a transform with `mode="tape"`; refuses what the tape has no form for."""
    if extra or not is_gradients(compiled.spec):
        raise UnsupportedError(
            'jvp, vjp and vmap have no mode="tape"', None,
            "flow.grad, flow.hvp and the Jacobians have it; sens_param=True takes an adjoint",
        )  # fmt: skip
    given = [v for a in arguments.values() for v in leaves(a)]
    if any(isinstance(v, Tensor) for v in given) and not allowed(compiled, arguments):
        raise ArgumentTypeError(
            f"{compiled.__name__}() is differentiated by tensors and by arrays or numbers", None,
            "pass all of them as tensors, or as arrays and numbers",
        )  # fmt: skip
    return run(compiled, arguments)


def run_recorded(compiled: Any, arguments: dict[str, Any], extra: dict[tuple, Any]) -> Any:
    """A call of a compiled function from one that is run on the tape: compiled, or on the tape."""
    if extra:
        refuse("jvp inside of a function that is run on the tape", "flow.grad or flow.hvp there")
    try:
        return of_compiled(compiled, arguments)
    except SrcgradError:
        if not compiled.options.tape or not is_gradients(compiled.spec):
            raise
    return run(compiled, arguments)


def _run(compiled: Any, arguments: dict[str, Any], callers: dict[str, Any]) -> Any:
    function, run = compiled.function, Surroundings()
    if any(type(v) is OfArray for a in arguments.values() for v in leaves(a)):
        function = run.function(function)
    shared = _sharing(callers) if isinstance(compiled.spec, ByPosition) else ()

    def call(given: dict[str, Any]) -> Any:
        named = OrderedDict((n, mapped(v, shown, with_whole)) for n, v in given.items())
        held = [at_path(named, p) for p in shared if p[0] in named]  # a direction is not given
        before = [*map(_state, held)]
        bound = inspect.BoundArguments(compiled._signature, named)
        with never_caught():
            out = mapped(function(*bound.args, **bound.kwargs), kept)
            run.check()
        if before != [*map(_state, held)]:
            raise UnsupportedError(
                f"two arguments of {compiled.__name__}() share memory that it stores to", None,
                "pass copies: f(x, x.clone())",
            )  # fmt: skip
        return out

    return _value(compiled.spec, compiled.__name__, call, arguments)


def _sharing(arguments: dict[str, Any]) -> list[tuple]:
    """The paths of arguments that share memory with others: differentiation uses copies."""
    held = [
        (p, _array(v)) for n, a in arguments.items() for p, v in paths(a, (n,))
        if isinstance(v, Tensor | np.ndarray)
    ]  # fmt: skip
    return [p for p, a in held if any(q != p and overlap(a, b) for q, b in held)]


def _state(v: Any) -> Any:
    """A value that changes when something is stored to: the version, or an array's bytes."""
    if isinstance(v, Tensor):
        return v._version
    return v._memory.version if is_recorded(v) else v.tobytes()


def _array(v: Any) -> Any:
    return v._a if isinstance(v, Tensor) else raw(v)


def _value(spec: Any, name: str, call: Callable[[dict], Any], arguments: dict[str, Any]) -> Any:
    if not isinstance(spec, ByPosition):
        return call(arguments)
    slots, outside = spec.slots(arguments), recording()
    wanted = {path for at, value in slots for path, _ in paths(value, at)}
    variables: dict[tuple, Tensor] = {}

    def fresh(path: tuple, v: Any) -> Any:
        if not isinstance(v, Tensor):
            return v.copy() if isinstance(v, np.ndarray) else v
        variables[path] = _variable(v, path in wanted)
        made = clone(variables[path])  # the function may change its argument in place
        return of_kind(made, v.kind) if type(v) is OfArray else made

    weights = spec.weights.parameters if spec.weights else ()
    with enable_grad(), differentiated(), active(weights):
        given = {n: mapped_by_path(v, (n,), fresh) for n, v in arguments.items()}
        inner = spec.gradient() if isinstance(spec, SecondOrder) else spec.inner
        out = _value(inner, name, call, spec.below(given))
        by = {p: v for p, v in variables.items() if p in wanted and v.is_floating_point()}
        params = {id(w): w for w in weights if w._node is not None}
        main = out[1] if isinstance(spec, SecondOrder) else spec.main_of(out)
        roots, more = _roots(main, name), []
        if isinstance(spec, HessianProduct):
            more = [t for t in leaves(given[spec.direction]) if isinstance(t, Tensor) and t._node]
        recorded = outside and _reaches_others([*roots, *more], [*variables.values()], weights)
        kept = out if recorded else _detached(out)

        def like_arguments(found: dict[tuple, Any]) -> list[Any]:
            """Derivatives by path, in the structures of the arguments."""
            return [g for at, v in slots for g in _of_argument(spec, name, at, v, found)]

        if isinstance(spec, Jacobian):
            return spec.result(_jacobian(spec, like_arguments, main, by, recorded), kept)
        if isinstance(spec, Hessian):
            return *kept, _jacobian(spec, like_arguments, main, by, recorded)
        if isinstance(spec, HessianProduct):
            products = product(spec, slots, main, given[spec.direction], by, recorded)
            return spec.with_others(spec.nested(like_arguments(products)), kept[0])
        if isinstance(spec, HessianDiagonal):
            found = diagonal(spec, slots, main, by, recorded)
            made = _total(found, slots) if spec.total else spec.nested(like_arguments(found))
            return spec.with_others(made, kept[0])
        assert isinstance(spec, Gradient)
        made = iter(_gradients(roots, [*by.values(), *params.values()], recorded))
    by_path = {p: next(made) for p in by}
    by_weight = {k: next(made) for k in params}
    gradients = like_arguments(by_path)
    return spec.template_of(spec.named(gradients, slots), _by_weights(spec, by_weight), kept)


def _jacobian(
    spec: ByPosition, like_arguments: Callable[[dict], list], main: Any, by: dict[tuple, Tensor],
    recorded: bool,
) -> Any:  # fmt: skip
    """The Jacobian: its blocks in place of each floating output."""

    def blocks(_: tuple, v: Any) -> Any:
        if not (_is_float(v) or (isinstance(v, Tensor) and v.is_floating_point())):
            return None
        return spec.nested(like_arguments(rows(v, by, recorded)))

    return mapped_by_path(main, (), blocks)


def _total(found: dict[tuple, Tensor], slots: list) -> Tensor:
    """The sum of a diagonal, which is a number where the arguments are no tensors."""
    made = total(found)
    of_arrays = any(type(v) is OfArray for _, value in slots for v in leaves(value))
    return of_kind(made, made._a.dtype.type) if of_arrays else made


def _detached(out: Any) -> Any:
    return mapped(out, lambda v: v.detach() if isinstance(v, Tensor) else v)


def _variable(v: Any, wanted: bool) -> Any:
    """A tensor of its own to differentiate with respect to; part of the graph if `v` is."""
    value = hasattr(type(v), "srcgrad_parameter") and not is_outer(v)
    if v._node is not None and recording() and not value:
        return clone(v)
    t = make(v._a.copy())
    if wanted and t.is_floating_point():
        t.requires_grad = True
    return t


# ---- gradients ----
def _roots(main: Any, name: str) -> list[Any]:
    """The outputs that have a gradient; TypeError if there are none."""
    outputs = leaves(main)
    floats = [t for t in outputs if isinstance(t, Tensor) and t.is_floating_point()]
    if not floats and not any(map(_is_float, outputs)):
        raise ArgumentTypeError(
            f"{name}() returns nothing that has a gradient", None, "return a floating tensor"
        )
    return [t for t in floats if t._node is not None]


def _gradients(roots: list[Any], by: list[Any], recorded: bool) -> list[Any]:
    zeros = [None] * len(by)
    made: Any = zeros
    if roots and by:
        ones = [make(np.ones_like(t._a)) for t in roots]
        made = engine.grad(roots, by, ones, create_graph=recorded, allow_unused=True)
    return [make(np.zeros_like(t._a)) if g is None else g for t, g in zip(by, made, strict=True)]


def _reaches_others(roots: list[Any], own: list[Any], weights: tuple[Any, ...]) -> bool:
    """Whether the outputs depend on a leaf with respect to which others differentiate."""
    ours = {id(t._node) for t in own} | {id(w._node) for w in weights if not is_outer(w)}
    seen, todo = set(), [t._node for t in roots]
    while todo:
        node: Any = todo.pop()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        if type(node) is not Leaf:
            todo += node.next if node.many else [node.next]
        elif id(node) not in ours:
            tensor = node.tensor()
            if not hasattr(type(tensor), "srcgrad_parameter") or is_outer(tensor):
                return True
    return False


def _of_argument(
    spec: ByPosition, name: str, path: tuple, value: Any, by_path: dict[tuple, Any]
) -> list[Any]:
    """The gradient of one argument; none if all are differentiated and it has no float."""
    if any(p in by_path for p, _ in paths(value, path)):
        return [mapped_by_path(value, path, lambda p, v: like(v, by_path.get(p)))]
    if spec.positions is None:
        return []
    raise no_float(name, ".".join(map(str, path)), value)


def _by_weights(spec: Gradient, made: dict[int, Any]) -> list[Any]:
    if spec.weights is None:
        return []
    gradients = []
    for w, name in zip(spec.weights.parameters, spec.weights.names, strict=True):
        if not w.is_floating_point():
            raise not_floating(w, name)
        g = made[id(w)] if id(w) in made else make(np.zeros_like(w._a))
        gradients.append((name, g) if spec.ids else g)
    return gradients
