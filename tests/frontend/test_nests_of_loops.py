"""The trials of loops within one another: they add up, and find what each loop finds alone."""

from functools import partial

import pytest

import srcgrad as flow
from tests.tools.counted import calls

OWN_NAME = ("s{k} = 0", "s{k} = s{k} + x * i{k}", "total = total + s{k}")
OWN_LIST = ("s{k} = [0, x]", "s{k}[0] = s{k}[0] + s{k}[1]", "total = total + s{k}[0]")
FIRST_ONE = ("s{k} = None", "s{k} = x if s{k} is None else s{k} * x", "total = total + s{k}")
OUTER_LIST = ("pass", "held[{k}] = held[{k}] + x * i{k}", "total = total + held[{k}]")


def nest(depth, parts):
    """A function of loops within one another: before each, in its body, and after it."""
    before, inside, after = parts
    lines = ["def f(x, n):", "    total = 0", f"    held = [0] * {depth}"]
    for k in range(depth):
        pad = "    " * (k + 1)
        lines += [pad + before.format(k=k), f"{pad}for i{k} in range(n):"]
        lines.append(pad + "    " + inside.format(k=k))
    for k in reversed(range(depth)):
        lines.append("    " * (k + 1) + after.format(k=k))
    return "\n".join([*lines, "    return total * 1.0\n"])


def defined(text):
    names = {}
    exec(text, names)
    return names["f"]


def compiled(text):
    return flow.compile(defined(text), source=text, target="python")


@pytest.mark.parametrize("parts", [OWN_NAME, OWN_LIST, FIRST_ONE, OUTER_LIST])
def test_a_nest_costs_what_its_loops_cost(parts):
    few, many = (
        calls(partial(compiled(nest(depth, parts)).ir, "primal", 0.7, 2)) for depth in (3, 6)
    )
    assert many < 3.5 * few


@pytest.mark.parametrize("parts", [OWN_NAME, OWN_LIST, FIRST_ONE, OUTER_LIST])
def test_a_nest_computes_what_python_computes(parts):
    text = nest(3, parts)
    f = defined(text)
    value, gradient = flow.value_and_grad(compiled(text))(0.7, 2)
    step = 1e-6
    slope = (f(0.7 + step, 2) - f(0.7 - step, 2)) / (2 * step)
    assert value == pytest.approx(f(0.7, 2), rel=1e-12)
    assert gradient == pytest.approx(slope, rel=1e-6)
