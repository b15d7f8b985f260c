"""`eval` and `exec` of texts that are known when compiling, and `locals`."""

import numpy as np
import pytest

import srcgrad as flow

X = np.array([0.3, 0.7, 1.1])
c = 100.0
TEXTS = {"square": "x ** 2 + 1.0", "sine": "np.sin(x)", "choice": "x if x[0] > 0.0 else -x"}


def square(x):
    return x * x


def name_that_a_branch_binds(x):
    """The local name hides that of the module, which nothing but the text reads."""
    if x[0] > 0.0:
        c = 2.0
    else:
        c = 3.0  # noqa: F841 (the text reads it)
    return eval("c * x[0]")


def name_that_a_loop_binds(x):
    a = 1.0
    for v in x:
        a = a * v
    return eval("a ** 2 + np.sum(x)")


def texts_of_a_dict(x):
    total = 0.0
    for name in TEXTS:
        total += np.sum(eval(TEXTS[name]))
    return total


def names_of_a_dict(x):
    return np.sum(eval("sqrt(x * x + c)", {"sqrt": np.sqrt, "x": x, "c": 2.0}))


def names_of_two_dicts(x):
    return np.sum(eval("x * x + c", {"x": x, "c": 2.0}, {"x": 2.0 * x}))


def function_of_the_module(x):
    return np.sum(eval("square(x) * c"))


def formatted(x, k=2):
    return eval(f"x[{k}] * x[0] * {k}")


def functions_in_texts(x):
    f = eval("lambda v, w=2.0: v * w * c")
    return f(x[0]) + f(x[1], x[2]) + eval("(lambda v: v * v)(y)", {"y": x[0]})


def comprehensions_in_texts(x):
    large = eval("sum(v * v for v in x) + [v * c for v in x][1]")
    return large + eval("sum([v for v in x if v > 0.5]) * len([v for v in x if v > 1.0])")


def names_beside_those_of_the_module(x):
    return eval("np.sum(square(y)) * c", None, {"y": x})


def names_of_locals(x):
    y = x * 2.0
    if x[0] > 0.0:
        z = x[1]
    held = locals()
    w = 3.0

    def inner(v):
        u = v * y[0]
        return locals()["u"] + locals()["y"][1]

    held["y"] = held["y"] * w
    return np.sum(held["y"]) + held.get("z", 5.0) + ("w" in held) + inner(x[2]) + np.sum(y)


def locals_in_a_loop(x):
    total = 0.0
    n = len("{c} {total}".format(c=c, **locals()))
    for i in range(len(x)):
        t = x[i] * i
        total = total + locals()["t"] ** 2
    return total + len(locals()) * x[0] + n


def executed(x):
    y, held = 3.0, {}
    exec("y = y + 2.0")
    exec("if x[0] > 0.0:\n    x[1] = 2.0 * x[0]")
    exec("y = a * c\nz = y + 1\nfor i in range(3):\n    z = z * y", {"a": x[0], "c": 2.0}, held)
    exec("def f(v):\n    return v * v\nif y > 1.0:\n    u = y", {"y": x[2]}, held)
    return y * x[1] + held["z"] * len(held) + held["f"](x[2]) + held.get("u", 0.5)


PROGRAMS = (
    name_that_a_branch_binds, name_that_a_loop_binds, texts_of_a_dict, names_of_a_dict,
    names_of_two_dicts, function_of_the_module, formatted, functions_in_texts,
    comprehensions_in_texts, names_beside_those_of_the_module, names_of_locals, locals_in_a_loop,
    executed,
)  # fmt: skip


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_values_and_derivatives(f, target):
    compiled = flow.compile(f, target=target)
    value, gradient = flow.value_and_grad(compiled)(X)
    steps = 1e-6 * np.eye(3)
    assert compiled(X.copy()) == pytest.approx(f(X.copy()))
    assert value == pytest.approx(f(X))
    assert gradient == pytest.approx([(f(X + s) - f(X - s)) / 2e-6 for s in steps], rel=1e-7)
    assert flow.jvp(compiled, (X,), (steps[1],))[1] == pytest.approx(gradient[1] * 1e-6)


def test_a_name_that_is_not_defined():
    with pytest.raises(NameError, match="name 'missing' is not defined"):
        flow.compile(lambda x: eval("missing + x"), target="python")(1.0)


def test_a_module_name_that_changes_is_read_again(monkeypatch):
    f = flow.compile(function_of_the_module, target="python")
    before = f(X)
    monkeypatch.setitem(globals(), "c", 2.0 * c)
    assert f(X) == pytest.approx(2.0 * before)
