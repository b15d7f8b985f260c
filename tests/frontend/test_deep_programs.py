"""Programs as deep as Python runs them, and what becomes of the limit of recursion meanwhile."""

import itertools
import linecache
import sys
import threading

import numpy as np
import pytest

import srcgrad as flow
from srcgrad import depth
from srcgrad.errors import CompilerError, SrcgradError, UnsupportedError
from srcgrad.ir.walk import walk
from tests.tools.turns import share

DEEP = 300
_files = itertools.count()


def made(*lines):
    """The function `f` of a text."""
    text = "".join(f"{line}\n" for line in lines)
    file = f"<deep program {next(_files)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope = {"np": np, "ROLL": np.array([1, 2, 0]), "M": np.eye(3) * 0.999}
    exec(compile(text, file, "exec"), scope)
    return scope["f"]


def returning(expression, *before):
    return made("def f(x):", *(f"    {line}" for line in before), f"    return {expression}")


def chain(between, item, n=DEEP):
    return between.join(item.format(k=k) for k in range(n))


def elifs(found, n=DEEP):
    cases = [f"    elif x < {k}.5:\n        {found} x * {k}.0" for k in range(n)]
    head = ("def f(x):", "    if x < -9.0:", f"        {found} x", *cases)
    return made(*head, "    else:", f"        {found} -x", *["    return y"] * (found == "y ="))


def helpers(body, n=200):
    functions = [f"def h{k}(x):\n    {body.format(k=k, inner=k - 1)}" for k in range(1, n)]
    return made("def h0(x):", "    return x * x", *functions, f"def f(x): return h{n - 1}(x)")


PROGRAMS = {
    "sum": lambda: returning(chain(" + ", "x * {k}.0")),
    "long sum": lambda: returning(chain(" + ", "x * {k}.0", 1000)),
    "product": lambda: returning(chain(" * ", "(1.0 + 0.00{k} * x)")),
    "sum of arrays": lambda: returning(
        f"np.sum({chain(' + ', 'v * {k}.0')})", "v = np.ones(3) * x"
    ),
    "sum of elements": lambda: returning(chain(" + ", "v[{k}]"), "v = np.ones(300) * x"),
    "sum of lists": lambda: returning(f"sum({chain(' + ', '[x * {k}.0]')})"),
    "matrix products": lambda: returning("np.sum((M * x)" + " @ M" * DEEP + ")"),
    "signs": lambda: returning("-" * DEEP + "x * x"),
    "nots": lambda: returning("x * x if " + "not " * DEEP + "x < 9.0 else x"),
    "parentheses": lambda: returning("(1.0 + x * " * 150 + "x" + ")" * 150),
    "nested calls": lambda: returning("np.sin(" * 90 + "x" + ")" * 90),
    "copies": lambda: returning("np.sum((np.ones(3) * x)" + ".copy()" * DEEP + ")"),
    "attributes": lambda: returning("x" + ".real" * DEEP + " * x"),
    "subscripts": lambda: returning("t" + "[0]" * DEEP + " * x", "t = x", *["t = (t,)"] * DEEP),
    "orders": lambda: returning("np.sum((np.arange(3.0) * x)" + "[ROLL]" * DEEP + "[1:])"),
    "conditionals": lambda: returning(chain("", "x * {k}.0 if x > {k}.0 - 2 else ") + "x"),
    "and": lambda: returning(f"x * x if {chain(' and ', 'x < {k}.0 + 1')} else x"),
    "or": lambda: returning(f"x * x if {chain(' or ', 'x > {k}.0 + 1')} else 3 * x"),
    "comparisons": lambda: returning(f"x * x if {chain(' < ', 'x * ({k} + 1)')} else 3 * x"),
    "elif": lambda: elifs("y ="),
    "elif that returns": lambda: elifs("return"),
    "early returns": lambda: returning(
        "-x", *(f"if x < {k}.5 - 290: return x * {k}.0" for k in range(DEEP))
    ),
    "helpers": lambda: helpers("return h{inner}(x) + {k}.0"),
    "helpers behind branches": lambda: helpers("return h{inner}(x) if x > -{k}.0 else x"),
    "statements": lambda: returning("y", "y = x", *["y = y * 0.99 + x"] * 1000),
}


def compare(f, target):
    step, x = 1e-6, 0.7
    value, slope = flow.value_and_grad(flow.compile(f, target=target, cache=False))(x)
    assert value == pytest.approx(f(x), rel=1e-12)
    assert slope == pytest.approx((f(x + step) - f(x - step)) / (2 * step), rel=1e-5)
    forward = flow.jvp(flow.compile(f, target=target, cache=False), (x,), (1.0,))[1]
    assert forward == pytest.approx(slope, rel=1e-12)


@pytest.mark.parametrize("name", share([*PROGRAMS]))
def test_what_python_runs(name):
    compare(PROGRAMS[name](), "python")


@pytest.mark.parametrize("name", ["sum", "copies", "helpers"])
def test_compiled(name):
    compare(PROGRAMS[name](), "cpu")


def test_a_recursion_of_known_depth():
    f = made("def f(x, n):", "    return x if n == 0 else f(x * 1.001, n - 1)")
    value, slope = flow.value_and_grad(flow.compile(f, target="python", cache=False))(0.7, 200)
    assert value == pytest.approx(f(0.7, 200)) and slope == pytest.approx(1.001**200)


def refused(f, *args):
    with pytest.raises(UnsupportedError, match="nested too deeply") as caught:
        flow.grad(flow.compile(f, target="python", cache=False))(*args)
    assert not isinstance(caught.value, CompilerError)
    return caught.value


def test_what_is_too_deep_is_refused_at_its_line(monkeypatch):
    """And its way out is followed: several statements compile under the same limit."""
    monkeypatch.setattr(depth, "MOST", 0)
    error = refused(returning(chain(" + ", "x * {k}.0", 600), "y = x"), 0.7)
    assert error.location.line in (1, 3) and "several statements" in error.way_out
    parts = [f"y = y + {chain(' + ', 'x * {k}.0', 60)}" for _ in range(10)]
    compare(returning("y", "y = 0.0", *parts), "python")


def test_an_endless_recursion_is_refused():
    f = made("def f(x, n):", "    return f(x * 1.001, n + 1)")
    assert refused(f, 0.7, 0).location.line == 2


def test_statements_are_walked_in_order():
    f = flow.compile(elifs("return", 20), target="python", cache=False)
    f(0.7)
    body = f._program({"x": 0.7})[0].function.body

    def outer_first(block):
        for s in block:
            yield s
            for inner in ("test", "then", "body", "orelse"):
                yield from outer_first(getattr(s, inner, ()))

    assert [*map(id, walk(body))] == [*map(id, outer_first(body))]
    assert len(walk(body)) > 60 > len(body)


# ---- the limit ----
LIMIT = sys.getrecursionlimit()


def test_the_limit_is_back_after_a_build():
    flow.grad(flow.compile(lambda x: x * x, target="python"))(0.7)
    assert sys.getrecursionlimit() == LIMIT
    with pytest.raises(SrcgradError):
        flow.grad(flow.compile(lambda x: unknown(x), target="python"))(0.7)  # noqa: F821 (an unknown name is tested)
    assert sys.getrecursionlimit() == LIMIT


def test_the_last_thread_puts_it_back():
    first, second = threading.Event(), threading.Event()
    seen = []

    def build():
        depth.enter()
        first.set()
        second.wait()
        seen.append(sys.getrecursionlimit())
        depth.leave()

    thread = threading.Thread(target=build)
    thread.start()
    first.wait()
    depth.enter()
    depth.leave()
    assert sys.getrecursionlimit() == depth.MOST
    second.set()
    thread.join()
    assert seen == [depth.MOST] and sys.getrecursionlimit() == LIMIT


def test_limits_of_the_caller_stay():
    try:
        sys.setrecursionlimit(2 * depth.MOST)  # higher than ours
        depth.enter()
        assert sys.getrecursionlimit() == 2 * depth.MOST
        depth.leave()
        assert sys.getrecursionlimit() == 2 * depth.MOST
        sys.setrecursionlimit(LIMIT)
        depth.enter()
        sys.setrecursionlimit(1500)  # set meanwhile
        depth.leave()
        assert sys.getrecursionlimit() == 1500
    finally:
        sys.setrecursionlimit(LIMIT)


def test_a_thread_that_is_deeper_leaves_it_to_the_next():
    def at(frames):
        if frames:
            return at(frames - 1)
        return depth.leave()

    depth.enter()
    at(LIMIT + 500)
    assert sys.getrecursionlimit() == depth.MOST
    depth.enter()
    depth.leave()
    assert sys.getrecursionlimit() == LIMIT
