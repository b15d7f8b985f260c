"""What is printed for small representative programs: the function, its primal, its adjoint.

`pytest --update-golden tests/test_golden.py` rewrites the files; the change is reviewed as a diff.
"""

import ast
import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import srcgrad as flow
from tests.tools.kept import ROOT, check_file

FOLDER = ROOT / "tests" / "golden"
GOLDEN: list["Golden"] = []


@dataclass(frozen=True)
class Golden:
    fn: Any
    args: tuple
    position: Any
    order: int
    helpers: tuple


def golden(*args: Any, position: Any = 0, order: int = 1, helpers: tuple = ()) -> Any:
    def register(fn: Any) -> Any:
        GOLDEN.append(Golden(fn, args, position, order, helpers))
        return fn

    return register


@golden(2.0, 3)
def scalar_loop(x, n):
    y = 1.0
    for _ in range(n):
        y = y * x
    return y


@golden(2.0)
def while_loop(x):
    y = x
    while y < 100.0:
        y = y * y + x
    return y


@golden(0.7)
def branch(x):
    if x > 0.5:
        y = x * x
    else:
        y = np.sin(x)
    return y * x


@golden(np.ones(4), 0.5, position=(0, 1))
def store_in_loop(u, w):
    for i in range(1, len(u)):
        u[i] = u[i] * u[i - 1] * w
    return u[len(u) - 1]


@golden(np.ones(5))
def view_mutated(x):
    y = x * x
    inner = y[1:-1]
    inner *= x[1:-1]
    return np.sum(y * y)


@golden(np.ones(4), np.zeros(4), 3)
def swap(u, v, steps):
    for _ in range(steps):
        for i in range(1, len(u)):
            v[i] = u[i] * u[i - 1]
        u, v = v, u
    return u[1]


def scale(x, a):
    for i in range(len(x)):
        x[i] *= a


@golden(np.ones(3), 2.0, position=(0, 1), helpers=(scale,))
def helper_that_mutates(x, a):
    scale(x, a)
    return x[0] * x[1]


@golden(np.ones((3, 2)), np.ones(2), position=(0, 1))
def broadcast_and_reduce(x, b):
    return np.sum(np.tanh(x + b), axis=0)


@golden(np.ones((3, 2)), np.ones((2, 4)), position=(0, 1))
def matrix_product(a, b):
    return a @ b


@golden(np.ones(4), 0.5)
def early_return(x, limit):
    s = 0.0
    for i in range(len(x)):
        s = s + x[i] * x[i]
        if s > limit:
            return s
    return s * 2.0


@golden(np.ones(3), 2)
def array_rebinding(x, n):
    y = x
    for _ in range(n):
        y = np.sin(y) * x
    return np.sum(y)


@golden(2.0, order=2)
def second_order(x):
    return x * x * np.exp(x)


def text_of(case: Golden) -> str:
    """The Python of a case, then what is printed for it."""
    fn, name = flow.compile(case.fn, target="python"), case.fn.__name__
    gradient = flow.grad(fn, case.position)
    for _ in range(case.order - 1):
        gradient = flow.grad(gradient, case.position)
    functions = [*case.helpers, case.fn]
    source = "\n\n".join(inspect.getsource(f) for f in functions)
    source = "".join(line for line in source.splitlines(True) if not line.startswith("@"))
    title = "adjoint" if case.order == 1 else "adjoint of the adjoint"
    parts = [
        f"# ---- {name} ----\n{source}",
        f"# ---- primal ----\n{fn.ir('primal', *case.args)}",
        f"# ---- {title} ----\n{gradient.ir('adjoint', *case.args)}",
    ]
    return "\n\n".join(parts)


@pytest.mark.parametrize("case", GOLDEN, ids=lambda c: c.fn.__name__)
def test_golden(case: Golden, pytestconfig: pytest.Config):
    text = text_of(case)
    ast.parse(text)
    update = pytestconfig.getoption("--update-golden")
    check_file(FOLDER / f"{case.fn.__name__}.py", text, update, "--update-golden")


def test_no_file_is_left_over():
    assert {p.stem for p in FOLDER.glob("*.py")} == {c.fn.__name__ for c in GOLDEN}
