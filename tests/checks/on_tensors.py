"""A case called with tensors, as one node of the tape, and with Parameters that it captures."""

from typing import Any

import numpy as np

import srcgrad as flow
from tests.cases import Case, sample
from tests.checks.case_checks import Record, check, never
from tests.checks.comparing import close_each, nearness
from tests.tools.modes import Modes
from tests.tools.structures import float_leaves, is_float, mapped

# they use methods that are tensors' own on tensors (`x.flatten()` is a view), or ask for a class:
# see test_tensor_methods
NUMPYS_METHODS = {
    "spreads", "methods", "whole_array_methods", "extremes", "type_tests", "kmeans", "shock_tube",
    "axes_rolled", "contiguous_copies", "asked_what_it_is",
}  # fmt: skip
# `s = x; s *= y` changes the tensor x, and rebinds the number s
IN_PLACE_ON_NUMBERS = {"barrier_option"}
ON_THE_TAPE = {"attempts"}  # themes: `try` in a function of tensors
COMPILED = frozenset(sample(14))


def is_one_node(case: Case) -> bool:
    """Whether a case is compiled on tensors: those of complex numbers require no grad."""
    complex_ = any(np.iscomplexobj(v) for v in float_leaves(case.args))
    return case.theme not in ON_THE_TAPE and not complex_


def takes_tensors(case: Case) -> bool:
    return case.name not in NUMPYS_METHODS | IN_PLACE_ON_NUMBERS and is_one_node(case)


def takes_arrays(case: Case) -> bool:
    """Whether everything it is differentiated by is an array of floats."""
    if case.name in NUMPYS_METHODS or case.theme in ON_THE_TAPE:
        return False
    args = [case.args[i] for i in case.wrt]
    return bool(args) and all(
        isinstance(a, np.ndarray) and a.dtype.kind == "f" and a.ndim > 0 for a in args
    )


@check(of=lambda c: takes_tensors(c) and not c.instance, always=never, rotates=True)
def node_of_the_tape(record: Record):
    check_node(record, "python")


@check(of=lambda c: is_one_node(c) and c in COMPILED)
def node_of_the_tape_on_cpu(record: Record):
    check_node(record, "cpu")


def check_node(record: Record, target: str) -> None:
    """Called with tensors it has the arrays' value and gradient, twice."""
    case = record.case
    args = list(case.arguments())
    made: list[Any] = []
    for i in case.wrt:
        args[i] = mapped(lambda v: clone_of(v, made), args[i])
    case.reset()
    compiled = flow.compile(case.fn, target=target)
    try:
        out = compiled(*args)
    except flow.UnsupportedError as error:
        lost = "stores to"  # to a list or dict: its history would be lost
        assert lost in str(error) or "is not supported in a function of tensors" in str(error)
        return
    want_value, want = values_on(record, target)
    roots = [t for t in tensors_of(out) if t.requires_grad]
    for times in (1, 2):
        ones = [flow.ones_like(r) for r in roots]
        flow.autograd.backward(roots, ones, retain_graph=times == 1)
        got = [np.zeros(t.shape) if t.grad is None else t.grad.numpy() for t in made]
        close_each(got, [times * w for w in float_leaves(want)], nearness(case), "gradient")
    close_each(floats_of(out), float_leaves(want_value), 1e-12, "value")


@check(of=lambda c: takes_arrays(c) and not c.instance, always=never, rotates=True)
def captured_parameters(record: Record):
    check_captured(record, "python")


@check(of=lambda c: takes_arrays(c) and c in COMPILED)
def captured_parameters_on_cpu(record: Record):
    check_captured(record, "cpu")


def check_captured(record: Record, target: str) -> None:
    """The gradients by `weights`; a Parameter that is stored to keeps it, as a cell does."""
    case, args = record.case, record.case.arguments()
    held = {i: flow.Parameter(np.array(args[i]), name=f"p{i}") for i in case.wrt}
    rest = [a for i, a in enumerate(args) if i not in held]
    fn = case.fn  # not the case, which holds the arguments as well
    count = len(args)
    places = [i for i in range(count) if i not in held]

    def with_parameters(*given):
        return fn(*[held[i] if i in held else given[places.index(i)] for i in range(count)])

    case.reset()
    function = flow.compile(with_parameters, target=target)
    try:
        value, grads = flow.value_and_grad(function, None, list(held.values()))(*rest)
    except flow.UnsupportedError as error:
        assert "is not supported in a function of tensors" in str(error)
        return
    want_value, want = values_on(record, target)
    close_each([g.asnumpy() for g in grads], float_leaves(want), 1e-11, "gradient")
    for v, w in zip(floats_of(value), float_leaves(want_value), strict=True):
        np.testing.assert_allclose(v, w, 1e-5 if np.asarray(v).dtype == np.float32 else 1e-11)


def values_on(record: Record, target: str) -> tuple[Any, tuple[Any, ...]]:
    """The value and the gradients at arrays, by the same target."""
    if target == "python":
        return record.value_and_grads
    return Modes(record.case, target).value_and_grad(record.case.arguments())


def clone_of(value: Any, made: list[Any]) -> Any:
    """A tensor with the value, of a leaf that is added to `made`: to a leaf nothing is stored."""
    made.append(flow.tensor(np.asarray(value), requires_grad=True))
    return made[-1].clone()


def leaves(value: Any) -> list[Any]:
    found: list[Any] = []
    mapped(found.append, value, found.append)
    return found


def tensors_of(value: Any) -> list[Any]:
    return [v for v in leaves(value) if isinstance(v, flow.Tensor)]


def floats_of(value: Any) -> list[Any]:
    raw = [v.detach().numpy() if isinstance(v, flow.Tensor) else v for v in leaves(value)]
    return [v for v in raw if is_float(v)]
