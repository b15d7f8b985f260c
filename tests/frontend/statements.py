"""Programs for each of Python's statements, with their support in compiled code and on the tape.

docs/limitations.md prints the table; `test_language.py` compares other pages with it.
"""

import contextlib
import functools
import threading
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

import srcgrad as flow

ROWS: list[tuple[str, str, Callable]] = []
AT = 1.5
SCALE = 2.0
LOG: list = []
LOCK = threading.Lock()


def row(keyword: str, what: str) -> Callable[[Callable], Callable]:
    return lambda f: ROWS.append((keyword, what, f)) or f


@row("nonlocal", "`nonlocal` names of a function that is compiled with it")
def nonlocal_inside(x):
    total = 0.0

    def add(y):
        nonlocal total
        total = total + y * y

    add(x)
    add(2 * x)
    return total


def with_a_name_outside() -> Callable:
    count = 0.0

    def f(x):
        nonlocal count
        count = count + 1.0
        return x * x

    return f


row("", "`nonlocal` names of a function around what is compiled")(with_a_name_outside())


@row("", "reading `global` names")
def global_read(x):
    return x * SCALE


@row("", "`eval`, `exec` of texts that are known")
def eval_of_a_text(x):
    a = 2.0  # noqa: F841 (the text reads it)
    return eval("a * x ** 2")


@row("", "`global` stores")
def global_store(x):
    global SCALE
    SCALE = 2.0
    return x * x


@row("del", "`del` of names, of items and slices of lists, of items of dicts")
def del_of_names_and_items(x):
    items, named = [x, x * x], {"a": x, "b": x * x}
    del items[0], named["a"]
    y = items[0] + named["b"]
    del items
    return y


@row("", "`del` of attributes")
def del_of_an_attribute(x):
    counter = Counter(x)
    counter.more = x
    del counter.more
    return counter.squared()


@row("", "`with np.errstate(...)` that ignores or warns")
def with_errstate(x):
    with np.errstate(all="ignore"):
        return x * x


@contextlib.contextmanager
def doubled(x):
    yield 2 * x


@row("", "`with` a generator of `contextmanager`, an object of a class, `nullcontext`, `suppress`")
def with_own(x):
    with contextlib.nullcontext(2.0) as k, doubled(x) as y:
        return x * y * k


@row("with", "`with` anything else")
def with_another(x):
    with LOCK:
        return x * x


@dataclass
class Pair:
    first: float
    second: float

    def product(self):
        return self.first * self.second


class Counter:
    def __init__(self, value):
        self.value = value

    def squared(self):
        return self.value * self.value


@row("", "a `class` or dataclass defined outside: made, changed and called inside")
def class_outside(x):
    pair, counter = Pair(x, x), Counter(x)
    counter.value = counter.value * 2
    pair.first = x * x
    return pair.product() + counter.squared()


@row("", "a `class`, dataclass or named tuple defined inside")
def class_inside(x):
    @dataclass
    class Inside:
        scale: float = 1.0

        def squared(self, v):
            return v * v * self.scale

    return Inside().squared(x)


COUNTER = Counter(1.0)


@row("", "changing an object, a list or a dict that is captured")
def captured_object(x):
    COUNTER.value = 2.0
    LOG.append(1)
    return x * x


@row("", "`try` with `else`, `finally` and handlers ([what is refused](limitations.md#try))")
def try_except(x):
    try:
        return x * x
    except ValueError:
        return x


@row("", "`raise`, `assert`")
def raises(x):
    assert x > 0, "positive"
    if x > 100:
        raise ValueError("large")
    return x * x


@row("", "generators that are run over: by `for`, `list`, `sum`, `enumerate`, `zip`")
def generator(x):
    def values():
        yield x
        yield x * x

    total = 0.0
    for v in values():
        total = total + v
    return total


@row("", "generator expressions, comprehensions, `map`, `zip`, `itertools`")
def generator_expression(x):
    return sum(v * x for v in (x, 2 * x)) + [x * v for v in (1, 2)][1]


@row("async", "`async`, `await`")
def asynchronous(x):
    async def later():
        return x

    return x * x


@row("", "`match`")
def matched(x):
    match (1, x):
        case (1, v):
            return v * v
    return x


@row("", "`for` and `while` with `else`, `break`, `continue`")
def loops(x):
    for k in range(4):
        if k == 1:
            continue
        x = x * 1.5
    else:
        x = x + 1
    return x


@row("", "functions and `lambda` inside, keywords, `*rest`, `:=`")
def functions(x):
    def scaled(a, *, by=2.0, **more):
        return a * by * more["c"]

    first, *rest = [x, (y := x * x), x]
    return scaled(x, c=(lambda v: v * v)(x)) + rest[0] + y + first


@row("", "decorators inside, of functions and of classes (`dataclass`)")
def decorated(x):
    def twice(f):
        return lambda v: f(f(v))

    @twice
    def squared(v):
        return v * v

    return squared(x)


def slope(f: Callable) -> float:
    h = 1e-5
    return (f(AT + h) - f(AT - h)) / (2 * h)


def attempt(derivative: Callable[[], float], expected: float) -> str:
    """What became of a program; a wrong derivative is no answer."""
    try:
        got = derivative()
    except flow.UnsupportedError:
        return "refused"
    assert got == pytest.approx(expected, rel=1e-4)
    return "yes"


def on_the_tape(f: Callable) -> float:
    """The derivative by a tensor, which is that by a number."""
    of_tensor = of_a_tensor(f)
    assert flow.grad(f, mode="tape")(AT) == pytest.approx(of_tensor, rel=1e-12)
    return of_tensor


def of_a_tensor(f: Callable) -> float:
    flow.set_context(mode=flow.PYNATIVE_MODE)
    try:
        return flow.grad(f)(flow.tensor(AT, dtype=flow.float64)).item()
    finally:
        flow.set_context(mode=None)


@functools.cache
def outcomes() -> list[tuple[str, str, str, str]]:
    """Per row: its keyword, what it is, what compiled code makes of it, and what the tape."""
    found = []
    for keyword, what, f in ROWS:
        expected = slope(f)
        compiled = attempt(lambda f=f: flow.grad(flow.compile(f, target="python"))(AT), expected)
        taped = attempt(lambda f=f: on_the_tape(f), expected)
        found.append((keyword, what, compiled, taped))
    return found


def table() -> str:
    lines = ["| what | compiled | on the tape |", "|---|---|---|"]
    lines += [f"| {what} | {compiled} | {taped} |" for _, what, compiled, taped in outcomes()]
    return "\n".join(lines) + "\n"
