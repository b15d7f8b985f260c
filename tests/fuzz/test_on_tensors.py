"""Random programs as one node of the tape: the same gradient as of arrays, twice in a row."""

from typing import Any

import numpy as np
import pytest

import srcgrad as flow
from tests.fuzz.generate import generate
from tests.fuzz.inputs import point
from tests.fuzz.source import loaded
from tests.tools.turns import share

SEEDS = share(range(16))
# the program stores to its arguments, which is refused where a gradient is recorded; it may have
# several results, arrays among them
ON_COPIES = """

def on_copies({0}):
    out = f({1})
    total = 0.0
    for part in out if isinstance(out, tuple) else (out,):
        total = total + np.sum(part)
    return total
"""


def outcome(seed: int, target: str = "python") -> str:
    """ok, or constant; AssertionError if the gradients differ."""
    program = generate(seed)
    args = point(program).args
    names = [f"a{k}" for k in range(len(args))]
    passed = [
        f"{n}.copy()" if isinstance(a, np.ndarray) else n for n, a in zip(names, args, strict=True)
    ]
    text = program.source() + ON_COPIES.format(", ".join(names), ", ".join(passed))
    floats = [k for k, a in enumerate(args) if getattr(a, "dtype", None) == np.float64]
    with np.errstate(all="ignore"), loaded(text, f"tensors-{seed}") as namespace:
        compiled = flow.compile(namespace["on_copies"], target=target)
        value, want = flow.value_and_grad(compiled, tuple(floats))(*args)
        want = want if isinstance(want, tuple) else (want,)
        given: list[Any] = list(args)
        for k in floats:
            given[k] = flow.tensor(args[k], requires_grad=True)
        out = compiled(*given)
        if not out.requires_grad:
            return "constant"
        np.testing.assert_allclose(out.item(), value, 1e-12)
        for times in (1, 2):
            out.backward(retain_graph=times == 1)
            for k, w in zip(floats, want, strict=True):
                scale = np.max(np.abs(w), initial=0.0, where=np.isfinite(w))
                got = given[k].grad.numpy()
                np.testing.assert_allclose(got, times * w, 1e-10, 1e-10 * scale + 1e-300)
    return "ok"


@pytest.mark.parametrize("seed", SEEDS)
def test_random_program(seed: int):
    assert outcome(seed) == "ok"
