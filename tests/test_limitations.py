"""The table "By design" of docs/limitations.md: each row is refused, and its way out works."""

import asyncio
import collections
import ctypes
import enum
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import srcgrad as flow
from tests.tools.kept import ROOT

X = np.array([1.5, 0.7, 2.2, 0.4])
FEW = np.array([3])  # a number that only the run tells
SCOPE = {"np": np}
AREA = "def area(r): return np.pi * np.sum(r**2)\n"
exec(AREA + AREA.replace("area", "hidden"), SCOPE)
area, hidden = SCOPE["area"], SCOPE["hidden"]
PYTHON = ctypes.pythonapi
LOCK = threading.Lock()
WAITING = collections.deque([1.5, 2.5])


class Watched:
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)


WATCHED = Watched()
squares = lambda v: v**2
rooted = flow.opaque(
    lambda v: float(np.cbrt(v)), lambda v: v, vjp=lambda p, g: (g / (3.0 * np.cbrt(p[0]) ** 2),)
)
Kind = enum.Enum("Kind", "A B C D E F G H I")


def called_in_c(x):
    return PYTHON.PyFloat_FromDouble(x[0]) * x[1]


def called_by_opaque(x):
    return rooted(x[0]) * x[1]


def axis_of_the_run(x, n):
    return np.sum(np.sum(x.reshape(2, 2), axis=int(n[0]) - 2) ** 2)


def axis(x, n):
    return np.sum(np.sum(x.reshape(2, 2), axis=n) ** 2)


def recursive_in_with(x, n):
    if n[0] == 0:
        return np.sum(x)
    with np.errstate(all="ignore"):
        y = recursive_in_with(x, n - 1)
    return y * x[0]


def recursive_by_another(x, n):
    return np.sum(x) if n[0] == 0 else again(x, n - 1) * x[0]


def again(x, n):
    return recursive_by_another(x, n) * x[1]


def recursive(x, n):
    if n[0] == 0:
        return np.sum(x)
    with np.errstate(all="ignore"):
        z = x[0] * x[1]
    return recursive(x, n - 1) * z + sum([recursive(x, n - 1) for _ in range(2)])


def four_kinds(x, n):
    if n[0] == 0:
        y = x
    elif n[0] == 1:
        y = x[0]
    elif n[0] == 2:
        y = x.reshape(2, 2)
    else:
        y = (x, x)
    return np.sum(y)


def returned_in_the_branches(x, n):
    if n[0] == 0:
        y = x
    elif n[0] == 1:
        y = x[0]
    elif n[0] == 2:
        y = x.reshape(2, 2)
    else:
        both = (x, x)
        return np.sum(both)
    return np.sum(y)


def nine_members(x, n):
    kind = Kind.A
    for each in (Kind.B, Kind.C, Kind.D, Kind.E, Kind.F, Kind.G, Kind.H, Kind.I):
        if n[0] > each.value:
            kind = each
    return x[0] * (2.0 if kind is Kind.B else 3.0)


RNG = np.random.default_rng(0)


def drawn_in_segments(x, rng):
    for _ in flow.checkpointed(range(4)):
        x = x * rng.normal()
    return np.sum(x)


def drawn_before(x, drawn):
    for k in flow.checkpointed(range(4)):
        x = x * drawn[k]
    return np.sum(x)


def timed(x):
    return x[0] * time.time()


def timed_outside(x, u):
    return x[0] * u


def asynchronous(x):
    async def later(v):
        return v * v

    return asyncio.run(later(x[0]))


def locked(x):
    with LOCK:
        return np.sum(x**2)


def stores_to_watched(x):
    WATCHED.state = x[0]
    return np.sum(x)


def returns_the_state(x):
    return np.sum(x), x[0]


def adds_to_a_set(x, members):
    members.add(3.0)
    return x[0] * len(members)


def reads_a_queue(x, queue):
    return x[0] * queue[0]


def reads_a_list(x, items):
    return x[0] * items[0]


def doubled(x):
    return 2.0 * x


def counted(x):
    return float(np.sum(np.floor(x)))


def stores(x, y):
    x[0] = 2.0 * x[1]
    return np.sum(x * y)


def chain_of_calls(tmp_path: Path):
    """A function of a module with calls of 3,000 levels."""
    lines = [f"def f{k}(x):\n    return f{k + 1}(x) * 1.0\n" for k in range(3000)]
    file = tmp_path / "levels.py"
    file.write_text("".join([*lines, "def f3000(x):\n    return x[0]\n"]), encoding="utf-8")
    scope: dict = {}
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), scope)
    return scope["f0"]


def looped(x):
    y = x[0]
    for _ in range(3000):
        y = y * 1.0
    return y


# by the first words of a row: programs that are refused, with a piece of the text, and ways out
ROWS = {
    "The source must be found": (
        [(hidden, (X,), "the source of hidden() was not found")],
        [(flow.compile(area, source=AREA, target="python"), (X,), {}), (hidden, (X,), "tape")],
    ),
    "Compiled C functions": (
        [(called_in_c, (X,), "no Python source to follow")], [(called_by_opaque, (X,), {})]
    ),
    "An axis, a rank": (
        [(axis_of_the_run, (X, FEW), "an axis must be known")], [(axis, (X, 1), {})]
    ),
    "A function that calls itself": (
        [(recursive_in_with, (X, FEW), "inside 'with'"),
         (recursive_by_another, (X, FEW), "the depth of the recursion")],
        [(recursive, (X, FEW), {}), (recursive_in_with, (X, FEW), "tape"),
         (recursive_by_another, (X, FEW), "tape")],
    ),
    "A name has at most three kinds": (
        [(four_kinds, (X, FEW), "depending on the path"),
         (nine_members, (X, FEW), "depending on the path")],
        [(returned_in_the_branches, (X, FEW), {}), (returned_in_the_branches, (X, FEW - 1), {})],
    ),
    "Calls more than": ([(chain_of_calls, (X,), "nested too deeply")], [(looped, (X,), {})]),
    "Random draws where": (
        [(drawn_in_segments, (X, RNG), "runs its trips again")],
        [(drawn_before, (X, np.ones(4)), {})],
    ),
    "Time, files, input": (
        [(timed, (X,), "call it outside")],
        [(timed_outside, (X, 0.25), {})],
    ),
    "`async`, `with`": (
        [(asynchronous, (X,), "'async def' is not supported"), (locked, (X,), "'with' of a lock")],
        [(asynchronous, (X,), "tape"), (locked, (X,), "tape")],
    ),
    "Setting attributes": (
        [(stores_to_watched, (X,), "Watched defines __setattr__"),
         (adds_to_a_set, (X, {1.0}), "a set"), (reads_a_queue, (X, WAITING), "pass list(queue)")],
        [(returns_the_state, (X,), {}), (reads_a_list, (X, list(WAITING)), {})],
    ),
    "Integers and booleans": (
        [(doubled, (3,), "only floats have gradients"), (doubled, (True,), "only floats")],
        [(doubled, (3.0,), {}), (doubled, (FEW.astype(float),), {})],
    ),
    "Steps without a derivative": ([], [(squares, (1.5,), {})]),
    "The same memory passed twice": (
        [(stores, (X, X), "share memory that it stores to")], [(stores, (X, X.copy()), {})]
    ),
}  # fmt: skip


def rows() -> list[str]:
    text = (ROOT / "docs" / "limitations.md").read_text(encoding="utf-8")
    section = text.partition("## By design")[2].partition("\n## ")[0]
    return [line[2:] for line in section.splitlines() if line.startswith("| ")][1:]


def test_each_row_has_programs():
    for row in rows():
        assert sum(row.startswith(words) for words in ROWS) == 1, row
    assert len(rows()) == len(ROWS)


@pytest.mark.parametrize("words", [w for w in ROWS if ROWS[w][0]])
def test_refused(words, tmp_path):
    for f, args, said in ROWS[words][0]:
        f = chain_of_calls(tmp_path) if f is chain_of_calls else f
        with pytest.raises((flow.SrcgradError, TypeError, ValueError)) as caught:
            flow.grad(f, target="python")(*args)
        text = str(caught.value)
        assert said in text, text
        assert len(text.splitlines()) > 1  # a way out, or the line


def test_a_step_warns():
    with pytest.warns(flow.errors.ZeroGradientWarning, match="here floor"):
        flow.grad(counted, target="python")(X)


@pytest.mark.parametrize("words", ROWS)
def test_the_way_out_works(words):
    for f, args, options in ROWS[words][1]:
        named = {"mode": "tape"} if options == "tape" else {"target": "python"}
        made = getattr(f, "__wrapped__", f)
        named = {} if made is not f else named
        value, gradient = flow.value_and_grad(f, **named)(*args)
        assert np.allclose(total(value), total(made(*copied(args))), rtol=1e-12)
        assert np.allclose(gradient, slopes(made, args), rtol=1e-5, atol=1e-6)


def total(value):
    return sum(np.sum(v) for v in value) if isinstance(value, tuple) else np.sum(value)


def copied(args):
    return tuple(a.copy() if isinstance(a, np.ndarray) else a for a in args)


def slopes(f, args):
    """Central differences by the first argument."""
    first, step = np.asarray(args[0], float), 1e-6
    out = np.zeros(first.size)
    for k in range(first.size):
        ends = []
        for h in (step, -step):
            moved = first.copy()
            moved.reshape(-1)[k] += h
            ends.append(total(f(moved if first.ndim else float(moved), *copied(args[1:]))))
        out[k] = (ends[0] - ends[1]) / (2.0 * step)
    return out.reshape(first.shape)
