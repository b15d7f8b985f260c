"""Every case with its array arguments as captured Parameters: the gradients by `weights`.

A Parameter that a case stores to keeps what was stored, as a cell's state does.
"""

from typing import Any

import numpy as np
import pytest

import srcgrad as flow
from tests.bridge.test_compiled_on_tensors import NUMPYS_METHODS, ON_THE_TAPE
from tests.cases import CASES, Case, first_instances, sample
from tests.modes import Modes
from tests.structures import float_leaves

pytestmark = pytest.mark.usefixtures("quiet")


def is_floating(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.ndim > 0


def of_arrays(case: Case) -> bool:
    """Whether everything it is differentiated by is an array of floats."""
    args = case.arguments()
    if case.name in NUMPYS_METHODS or case.theme in ON_THE_TAPE:
        return False
    return all(is_floating(args[i]) for i in case.wrt) and bool(case.wrt)


@pytest.mark.parametrize(
    "case", first_instances(list(filter(of_arrays, CASES))), ids=lambda c: c.id
)
def test_reference(case: Case):
    check(case, "python")


@pytest.mark.parametrize("case", [c for c in sample(12) if of_arrays(c)], ids=lambda c: c.id)
def test_cpu(case: Case):
    check(case, "cpu")


def check(case: Case, target: str) -> None:
    want_value, want = Modes(case, target).value_and_grad(case.arguments())
    args = case.arguments()
    held = {i: flow.Parameter(np.array(args[i]), name=f"p{i}") for i in case.wrt}
    rest = [a for i, a in enumerate(args) if i not in held]
    fn = case.fn  # not the case, which holds the arguments as well
    count = len(args)
    places = [i for i in range(count) if i not in held]

    def with_parameters(*given):
        return fn(*[held[i] if i in held else given[places.index(i)] for i in range(count)])

    case.reset()
    function = flow.compile(with_parameters, target=target)
    value, grads = flow.value_and_grad(function, None, list(held.values()))(*rest)
    for g, w in zip(grads, float_leaves(want), strict=True):
        narrow = np.asarray(w).dtype == np.float32
        tolerance = 1e-5 if narrow else 1e-11
        scale = np.max(np.abs(w), initial=0.0, where=np.isfinite(w))
        np.testing.assert_allclose(g.asnumpy(), w, tolerance, tolerance * (scale + 1e-3))
    got = [np.asarray(getattr(v, "_a", v)) for v in float_leaves_of(value)]
    for v, w in zip(got, float_leaves(want_value), strict=True):
        np.testing.assert_allclose(v, w, 1e-5 if v.dtype == np.float32 else 1e-11)


def float_leaves_of(value: Any) -> list[Any]:
    """The floating parts of a result with tensors in it."""
    if isinstance(value, flow.Tensor):
        return [value] if value.is_floating_point() else []
    if isinstance(value, dict):
        return [v for x in value.values() for v in float_leaves_of(x)]
    if isinstance(value, tuple | list):
        return [v for x in value for v in float_leaves_of(x)]
    return float_leaves(value)
