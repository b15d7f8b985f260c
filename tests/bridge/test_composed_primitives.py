"""Primitives that tensor functions are composed of agree between compiled code and the tape.

Tries every row that has parameters or a program of its own, with several values of each parameter.
"""

import inspect
import types
from typing import Any

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.bridge.composed import FORMULAS, REDUCTIONS
from srcgrad.eager.apply import apply
from srcgrad.primitives import REGISTRY, elementwise, transforms

A = np.random.default_rng(5).uniform(0.5, 2.0, (2, 3, 4))
M, V = A[0], A[0, 0]
ROWS = np.array([2, 0, 2])
S = M @ M.T + np.eye(3)  # symmetric, positive definite
TIES = np.array([[2.0, 1.0, 2.0, 1.0], [0.0, 3.0, 3.0, 3.0]])
INDICES = [
    (1,),
    (slice(None), 2),
    (slice(2, 0, -1),),
    (ROWS,),
    (ROWS, np.array([1, 1, 3])),
    (None, 0),
]
AXES = [{"axes": axes} for axes in [(0,), (1,), (0, 1), (0, 2), (0, 1, 2)]]
PLACES = [{"axes": axes} for axes in [(0,), (1,), (2,), (0, 1, 2)]]
# by primitive: operands, and the parameters that are tried with them
TRIED: dict[str, list[tuple[tuple, list[dict]]]] = {
    "reshape": [((A, 6, 4), [{}]), ((A, 24), [{}]), ((V, 2, 2), [{}])],
    "transpose": [((A,), [{"perm": (2, 0, 1)}, {"perm": (0, 2, 1)}])],
    "expand": [((A[:, :1], 2, 3, 4), [{}]), ((V, 5, 4), [{}])],
    "copy": [((A,), [{}])],
    "sum": [((A,), [*AXES, {"axes": ()}]), ((A > 1.0,), AXES), ((A.astype(np.int32),), AXES)],
    "product": [((A,), [{"axes": (0,)}, {"axes": (2,)}])],
    "softmax": [((A,), [{"axes": (0,)}, {"axes": (2,)}])],
    "log_softmax": [((A,), [{"axes": (0,)}, {"axes": (2,)}])],
    "max": [((A,), AXES), ((TIES,), AXES[:3])],
    "min": [((A,), AXES), ((TIES,), AXES[:3])],
    "argmax": [((A,), PLACES), ((TIES,), [{"axes": (0,)}, {"axes": (1,)}])],
    "argmin": [((A,), PLACES), ((TIES,), [{"axes": (0,)}, {"axes": (1,)}])],
    "any": [((A > 1.9,), AXES)],
    "all": [((A > 0.6,), AXES)],
    "concatenate": [((A, A * 2, A), [{"axis": 0}, {"axis": 2}])],
    "pick": [((M,), [{"index": index} for index in INDICES])],
    "put": [
        ((V[:3],), [{"index": (ROWS,), "shape": (3,)}, {"index": (slice(1, 4),), "shape": (5,)}]),
        (
            (M,),
            [{"index": (slice(None), 1), "shape": (3, 2, 4)}, {"index": (ROWS,), "shape": (3, 4)}],
        ),
    ],
    "patch": [
        ((M, np.float64(7.0)), [{"index": (1, 2)}, {"index": (slice(None), slice(1, 3))}]),
        ((M, V), [{"index": (1,)}, {"index": (slice(0, 2),)}]),
    ],
    "matmul": [((M, M.T), [{}]), ((A, A.transpose(0, 2, 1)), [{}])],
    "matvec": [((M, V), [{}])],
    "vecdot": [((V, V + 1), [{}])],
    "diagonal": [
        ((A,), [{"offset": 0, "axis1": 0, "axis2": 1}, {"offset": -1, "axis1": 2, "axis2": 0}])
    ],
    "inv": [((S,), [{}])],
    "det": [((S,), [{}])],
    "detsign": [((S,), [{}])],
    "logabsdet": [((S,), [{}])],
    "solve": [((S, M), [{}])],
    "cholesky": [((S,), [{}])],
    "cumsum": [((A,), [{"axis": k, "reverse": r} for k in (0, 1, 2) for r in (False, True)])],
    "running_product": [
        ((x,), [{"axis": k, "reverse": r} for k in (0, 1) for r in (False, True)])
        for x in (A, TIES)
    ],
    "argsort": [((A,), [{"axis": 0}, {"axis": 2}]), ((TIES,), [{"axis": 0}, {"axis": 1}])],
    "powi": [((A,), [{"n": n} for n in (-2, 0, 1, 3)])],
    "clip": [((A, 0.8, 1.5), [{}]), ((A, 0.8, np.inf), [{}])],
    "where": [((A > 1.0, A, A * 2), [{}]), ((A > 1.0, A, 0.5), [{}])],
}
EACH = [
    pytest.param(name, args, params, id=f"{name}-{k}-{n}")
    for name, rows in TRIED.items()
    for k, (args, every) in enumerate(rows)
    for n, params in enumerate(every)
]


# tensors are real: none of the Fourier transforms
ALONG = [op for op in REGISTRY.values() if op.along and op not in vars(transforms).values()]
# the implementations of rows
ROWS_APPLIED: dict[str, Any] = {
    **{op.name: op.impl for op in (*FORMULAS, *REDUCTIONS, *ALONG)},
    "powi": elementwise.powi.impl,
    "clip": lambda x, low, high: None,
    "where": lambda condition, a, b: None,
}


def test_every_row_is_tried_with_two_values_of_each_parameter():
    assert set(TRIED) == set(ROWS_APPLIED)
    for name, applied in ROWS_APPLIED.items():
        rows = TRIED[name]
        for parameter in parameters(applied, len(rows[0][0])):
            tried = {str(p[parameter]) for _, every in rows for p in every}
            assert len(tried) > 1, (name, parameter)


def parameters(formula, operands: int) -> list[str]:
    """What a row takes besides its operands; one that is NumPy's function takes nothing."""
    if not isinstance(formula, types.FunctionType) or not formula.__module__.startswith("srcgrad"):
        return []
    named = inspect.signature(formula).parameters.values()
    if any(p.kind is p.VAR_POSITIONAL for p in named):
        return [p.name for p in named if p.kind is p.KEYWORD_ONLY]
    return [p.name for p in named][operands:]


def tensors(args: tuple) -> list:
    """Fresh tensors for arrays; numbers as they are. Floats require grad."""
    made = []
    for a in args:
        if isinstance(a, np.ndarray | np.generic):
            a = flow.tensor(a)
            a.requires_grad = a.is_floating_point()
        made.append(a)
    return made


def gradients(f, args: tuple) -> tuple[np.ndarray, list]:
    """The value, and the gradients of a weighted sum of it; zeros where there is none."""
    given = tensors(args)
    out = f(*given)
    if isinstance(out, bool):  # of compiled code: see docs/tensors.md
        return np.array(out), []
    value = out.detach().numpy()
    if out.requires_grad:
        weights = flow.tensor(np.cos(np.arange(value.size)).reshape(value.shape))
        (out * weights).sum().backward()
    floats = [t for t in given if getattr(t, "requires_grad", False)]
    return value, [np.zeros(t.shape) if t.grad is None else t.grad.numpy() for t in floats]


@pytest.mark.parametrize(("name", "args", "params"), EACH)
def test_compiled_as_on_the_tape(name, args, params):
    op = REGISTRY[name]

    def f(*operands):
        return apply(op, operands, params)

    value, slopes = gradients(f, args)
    got, compiled = gradients(flow.compile(f, target="python"), args)
    assert got.shape == value.shape and got.dtype == value.dtype
    np.testing.assert_allclose(got, value, rtol=1e-13)
    for a, b in zip(compiled, slopes, strict=value.dtype != bool):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)
