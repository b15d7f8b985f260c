"""`item` and `tolist` give Python's numbers: what they are combined with keeps its dtype."""

import math

import numpy as np
import pytest

import srcgrad as flow

SINGLE = np.array([1.0, 2.0], np.float32)
ARRAYS = {
    "double": np.array([1.5, 2.5]), "single": np.array([1.5, 2.5], np.float32),
    "whole": np.array([3, 4]), "narrow": np.array([3, 4], np.int8),
    "complex": np.array([1.5 + 2j, 2.5]), "truths": np.array([True, False]),
}  # fmt: skip
PROGRAMS = {
    "item of an index": lambda a, b: a.item(1) * b,
    "item of one": lambda a, b: a[:1].item() * b,
    "item of a number": lambda a, b: np.sum(a).item() * b,
    "a list": lambda a, b: a.tolist()[0] * b,
    "a sum of a list": lambda a, b: sum(a.tolist()) * b,
    "a loop over a list": lambda a, b: [v * b for v in a.tolist()][1],
}


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("array", ARRAYS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_dtypes(program, array, target):
    f, a = PROGRAMS[program], ARRAYS[array]
    got, want = flow.compile(f, target=target)(a, SINGLE), f(a, SINGLE)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=1e-6)


def test_a_list_takes_no_number_of_python():
    with pytest.raises(TypeError):
        flow.compile(lambda x: [1.0, 2.0] + x.item(1), target="python")(ARRAYS["double"])  # noqa: RUF005 (the error)


def test_gradient():
    f = lambda x: x.item(0) * x.tolist()[1] * x[1]
    assert flow.grad(f)(ARRAYS["double"]).tolist() == [6.25, 7.5]


@pytest.mark.parametrize(
    "f", [math.log, math.log2, math.log10, math.sqrt, lambda x: math.log(x, 3)]
)
def test_functions_of_math_give_a_float(f):
    program = lambda x, a: (f(x), a * f(x))
    number, array = flow.compile(program, target="python")(2.5, SINGLE)
    assert type(number) is float
    assert array.dtype == np.float32
