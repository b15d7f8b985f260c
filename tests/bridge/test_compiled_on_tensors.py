"""Every case as one node of the tape: called with tensors it has the arrays' value and gradient."""

from typing import Any

import numpy as np
import pytest

import srcgrad as flow
from tests.cases import CASES, Case, first_instances, sample
from tests.modes import Modes
from tests.structures import float_leaves, is_float, mapped

pytestmark = pytest.mark.usefixtures("quiet")
# they use methods that are tensors' own on tensors (`x.flatten()` is a view), or ask for a class:
# see test_tensor_methods
NUMPYS_METHODS = {
    "spreads", "methods", "whole_array_methods", "extremes", "type_tests", "kmeans", "shock_tube",
    "axes_rolled", "contiguous_copies",
}  # fmt: skip
# `s = x; s *= y` changes the tensor x, and rebinds the number s
IN_PLACE_ON_NUMBERS = {"barrier_option"}
ON_THE_TAPE = {"attempts"}  # themes: `try` in a function of tensors


def is_one_node(case: Case) -> bool:
    """Whether a case is compiled on tensors: those of complex numbers require no grad."""
    return case.theme not in ON_THE_TAPE and not has_complex(case)


def has_complex(case: Case) -> bool:
    """Tensors of complex numbers require no grad: see test_complex."""
    return any(np.iscomplexobj(v) for v in float_leaves(case.args))


@pytest.mark.parametrize(
    "case",
    first_instances(
        [c for c in CASES if c.name not in NUMPYS_METHODS | IN_PLACE_ON_NUMBERS and is_one_node(c)]
    ),
    ids=lambda c: c.id,
)
def test_reference(case: Case):
    check(case, "python")


@pytest.mark.parametrize(
    "case",
    [c for c in sample(14) if is_one_node(c)],
    ids=lambda c: c.id,
)
def test_cpu(case: Case):
    check(case, "cpu")


def check(case: Case, target: str) -> None:
    want_value, want = Modes(case, target).value_and_grad(case.arguments())
    args = list(case.arguments())
    made: list[Any] = []
    for i in case.wrt:
        args[i] = mapped(lambda v: clone_of(v, made), args[i])
    case.reset()
    compiled = flow.compile(case.fn, target=target)
    try:
        out = compiled(*args)
    except flow.UnsupportedError as error:
        assert "stores to" in str(error)  # to a list or dict: its history would be lost
        return
    roots = [t for t in tensors_of(out) if t.requires_grad]
    for times in (1, 2):
        ones = [flow.ones_like(r) for r in roots]
        flow.autograd.backward(roots, ones, retain_graph=times == 1)
        got = [np.zeros(t.shape) if t.grad is None else t.grad.numpy() for t in made]
        close(got, [times * w for w in float_leaves(want)], "gradient")
    close(floats_of(out), float_leaves(want_value), "value")


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


def close(got: list[Any], want: list[Any], what: str) -> None:
    assert [np.shape(g) for g in got] == [np.shape(w) for w in want], what
    for g, w in zip(got, want, strict=True):
        narrow = np.asarray(w).dtype == np.float32
        tolerance = 1e-5 if narrow else 1e-12
        scale = np.max(np.abs(w), initial=0.0, where=np.isfinite(w))
        np.testing.assert_allclose(g, w, tolerance, tolerance * (scale + 1e-3), err_msg=what)
