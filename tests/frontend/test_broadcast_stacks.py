"""Operations on stacks whose leading lengths are equal, 1, absent or do not meet, with gradients.

Values are NumPy's, or its exception; gradients agree with differences, by reverse and forward mode.
"""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.testing import check_grads
from tests.tools.turns import share

LEADS = ((), (1,), (4,), (3, 4), (3, 1), (1, 4), (1, 1), (2,), (0,), (3, 0))
RNG = np.random.default_rng(5)


def of_two(name: str) -> Callable[..., Any]:
    scope: dict[str, Any] = {"np": np}
    exec(f"def f(a, c): return {name}", scope)
    return flow.compile(scope["f"], target="python", source=f"def f(a, c): return {name}")


TWO = {  # and the shapes of what is stacked
    "a @ c": ((2, 3), (3, 2)),
    "np.matmul(a, c)": ((2, 3), (3, 2)),
    "np.sum(np.sin(a @ c))": ((2, 3), (3, 2)),
    "a @ c + a[..., :1] * c[..., :1, :]": ((2, 3), (3, 2)),
    "np.einsum('...ij,...jk->...ik', a, c)": ((2, 3), (3, 2)),
    "np.einsum('...ij,...ij->...', a, c)": ((2, 3), (2, 3)),
    "np.linalg.solve(a, c)": ((2, 2), (2, 3)),
    "np.linalg.vecdot(a, c)": ((3,), (3,)),
    "np.linalg.cross(a, c)": ((3,), (3,)),
    "np.kron(a, c)": ((2, 2), (2, 2)),
    "np.tensordot(a, c, axes=([-1], [-2]))": ((2, 3), (3, 2)),
    "np.linalg.multi_dot([a, c])": ((2, 3), (3, 2)),
}
ONE = (
    "np.linalg.inv(a)", "np.linalg.det(a)", "np.linalg.slogdet(a)[1]",
    "np.linalg.cholesky(a @ np.swapaxes(a, -1, -2))", "np.linalg.svd(a, compute_uv=False)",
    "np.linalg.eigh(a + np.swapaxes(a, -1, -2))[0]", "np.linalg.pinv(a)",
    "np.linalg.norm(a, axis=(-2, -1))", "np.linalg.matrix_power(a, 2)", "np.trace(a, 0, -2, -1)",
    "np.linalg.qr(a)[1]", "np.swapaxes(np.linalg.solve(a, np.swapaxes(a, -1, -2)), -1, -2)",
)  # fmt: skip


def drawn(shape: tuple[int, ...]) -> np.ndarray:
    a = RNG.uniform(0.5, 1.5, shape)
    if len(shape) > 1 and shape[-1] == shape[-2]:
        a = a + 3.0 * np.diag(np.arange(1.0, shape[-1] + 1.0))  # well conditioned, no ties
    return a


def outcome(call: Callable[..., Any], *args: Any) -> Any:
    try:
        return call(*args)
    except Exception as error:
        return error


def problems(f: Any, args: tuple) -> Iterator[str]:
    """What is wrong with a compiled function of these arguments."""
    shapes = " and ".join(str(a.shape) for a in args)
    want, got = (outcome(g, *args) for g in (f.function, f))
    if isinstance(want, Exception):
        if not isinstance(got, Exception) or not isinstance(
            got, (type(want), flow.UnsupportedError)
        ):
            yield f"{shapes}: {got!r} instead of {want!r}"
    elif isinstance(got, flow.UnsupportedError):
        return
    elif isinstance(got, Exception):
        yield f"{shapes}: {got!r}"
    elif np.shape(got) != np.shape(want) or not np.allclose(got, want, rtol=1e-10):
        yield f"{shapes}: {got} instead of {want}"
    elif np.size(want):
        error = outcome(lambda: check_grads(f, args, target="python"))
        if isinstance(error, Exception) and not isinstance(error, flow.UnsupportedError):
            yield f"{shapes}: {error!r}"


@pytest.mark.parametrize("name", TWO)
def test_of_two(name: str):
    f, (first, second) = of_two(name), TWO[name]
    pairs = share([*itertools.product(LEADS, LEADS)])
    args = ((drawn((*p, *first)), drawn((*q, *second))) for p, q in pairs)
    assert not [text for a in args for text in problems(f, a)]


@pytest.mark.parametrize("name", ONE)
def test_of_one(name: str):
    scope: dict[str, Any] = {"np": np}
    text = f"def f(a): return {name}"
    exec(text, scope)
    f = flow.compile(scope["f"], target="python", source=text)
    args = ((drawn((*lead, 2, 2)),) for lead in share(LEADS))
    assert not [found for a in args for found in problems(f, a)]


@pytest.mark.parametrize("leads", [((1,), (4,)), ((4, 1), (1, 4)), ((1, 1), ()), ((3, 4), (1,))])
def test_compiled(leads: tuple):
    def f(a, c):
        return np.sum(np.sin(a @ c))

    args = tuple(drawn((*lead, *s)) for lead, s in zip(leads, ((2, 3), (3, 2)), strict=True))
    check_grads(f, args, target="cpu")
