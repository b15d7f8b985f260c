"""What the pages say of Python's statements, held against programs that use them.

Each program is differentiated in compiled code and on the tape; docs/limitations.md prints what
became of it, README.md, docs/functional.md and docs/support.md may not say otherwise.
`pytest --update-docs tests/test_language.py` rewrites the table.
"""

import contextlib
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

import srcgrad as flow
from tests.kept import ROOT, check_block

ROWS: list[tuple[str, str, Callable]] = []
AT = 1.5
SCALE = 2.0
LOG: list = []


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


@row("global", "`global` stores")
def global_store(x):
    global SCALE
    SCALE = 2.0
    return x * x


@row("del", "`del` of names, of items of lists and dicts")
def del_of_names_and_items(x):
    items, named = [x, x * x], {"a": x, "b": x * x}
    del items[0], named["a"]
    y = items[0] + named["b"]
    del items
    return y


@row("", "`del` of slices of lists, of attributes")
def del_of_a_slice(x):
    items = [x, x * x, 3.0]
    del items[1:]
    return items[0] * items[0]


@row("", "`with np.errstate(...)` that ignores or warns")
def with_errstate(x):
    with np.errstate(all="ignore"):
        return x * x


@row("with", "`with` anything else")
def with_another(x):
    with contextlib.nullcontext(2.0) as k:
        return x * x * k


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


@row("class", "a `class` defined inside")
def class_inside(x):
    class Inside:
        def squared(self, v):
            return v * v

    return Inside().squared(x)


COUNTER = Counter(1.0)


@row("", "changing an object, a list or a dict that is captured")
def captured_object(x):
    COUNTER.value = 2.0
    LOG.append(1)
    return x * x


@row("try", "`try`")
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


@row("yield", "generators: `yield`")
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

    return x * x if later else x


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


@row("decorator", "decorators inside")
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
    flow.set_context(mode=flow.PYNATIVE_MODE)
    try:
        return flow.grad(f)(flow.tensor(AT, dtype=flow.float64)).item()
    finally:
        flow.set_context(mode=None)


@pytest.fixture(scope="module")
def outcomes() -> list[tuple[str, str, str, str]]:
    """Per row: its keyword, what it is, what compiled code makes of it, and what the tape."""
    found = []
    for keyword, what, f in ROWS:
        expected = slope(f)
        compiled = attempt(lambda f=f: flow.grad(flow.compile(f, target="python"))(AT), expected)
        taped = attempt(lambda f=f: on_the_tape(f), expected)
        found.append((keyword, what, compiled, taped))
    return found


def test_the_table(outcomes, pytestconfig: pytest.Config):
    lines = ["| what | compiled | on the tape |", "|---|---|---|"]
    lines += [f"| {what} | {compiled} | {taped} |" for _, what, compiled, taped in outcomes]
    page = ROOT / "docs" / "limitations.md"
    check_block(page, "language", "\n".join(lines) + "\n", pytestconfig.getoption("--update-docs"))


def test_tensors_take_the_tape_where_the_compiler_refuses(outcomes):
    for (_, what, f), (*_, taped) in zip(ROWS, outcomes, strict=True):
        assert taped == "yes", what
        got = flow.grad(f)(flow.tensor(AT, dtype=flow.float64)).item()
        assert got == pytest.approx(slope(f), rel=1e-4), what


def refused(outcomes) -> set[str]:
    return {keyword for keyword, _, compiled, _ in outcomes if keyword and compiled == "refused"}


def said(page: str, pattern: str) -> set[str]:
    """The keywords in a part of a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    (part,) = re.findall(pattern, text, re.S)
    return {k for k, _, _ in ROWS if k and f"`{k}" in part}


def test_pages_name_what_is_refused(outcomes):
    expected = refused(outcomes)
    assert expected == {"global", "with", "class", "try", "yield", "async", "decorator"}
    ticked = expected - {"decorator"}
    assert said("README.md", r"Refused, with the line and the way out:(.*?)\n\n") == ticked
    assert said("docs/limitations.md", r"\n(\| `try`, [^\n]*)") == ticked
    assert said("docs/functional.md", r"\n(\| [^\n]*on the tape where[^\n]*)") == ticked - {
        "global"
    }


def test_support_lists_what_is_not(outcomes):
    text = (ROOT / "docs" / "support.md").read_text(encoding="utf-8")
    statements, _, refusals = re.findall(
        r"^(Statements|Expressions|Refused by name): (.*)$", text, re.M
    )
    named = set(re.findall(r"`(\w+)[^`]*`", refusals[1]))
    assert {"global", "class", "try", "yield", "async"} <= named
    assert {"nonlocal", "del"} <= set(re.findall(r"`(\w+)`", statements[1]))
    assert not named & {"nonlocal", "del", "match"}
