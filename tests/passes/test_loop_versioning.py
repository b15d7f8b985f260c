"""Loops in versions: random loops give the same bits, and proofs that are too weak are noticed."""

import random

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends import python
from srcgrad.ir.nodes import For
from srcgrad.ir.parse import parse
from srcgrad.ir.text import to_text
from srcgrad.ir.walk import walk
from srcgrad.passes import loop_versioning as module
from srcgrad.passes import without
from srcgrad.passes.loop_versioning import loop_versioning
from srcgrad.primitives import REGISTRY
from tests.backends.backend_programs import agree, outcome, same
from tests.passes.pass_programs import after, program, vec
from tests.passes.random_programs import cpu_build, none_is_wrong
from tests.tools.turns import share

N = 6
HEAD = """
def f(x: TYPE[n, m], y: TYPE[a, b], v: TYPE[c], i: int, k: int, l: int, lo: int, hi: int):
    n: int = dim(x, axis=0)
    m: int = dim(x, axis=1)
    a: int = dim(y, axis=0)
    b: int = dim(y, axis=1)
    c: int = dim(v, axis=0)
    row: TYPE.strided[m] = view(x, i, spec=('i', ':'))
    column: TYPE.strided[n] = view(x, k, spec=(':', 'i'))
"""
# places of loads that do not move, of others, and of stores; the last list of any
FAMILIES = [
    (["x, i, k", "x, k, k", "x, i, k"], ["x, i, j", "x, k, j", "y, i, j"], ["x, i, j", "y, i, j"]),
    (["row, k", "x, k, k"], ["row, j", "x, i, j", "y, i, j"], ["row, j", "x, i, j"]),
    (["v, k", "v, k", "v, l"], ["v, j", "x, i, j", "x, j, k"], ["v, j"]),
    (["x, i, k", "column, i"], ["x, j, k", "column, j", "y, i, j"], ["x, j, k"]),
    (["x, i, k", "x, k, i", "row, k", "v, k", "v, l", "column, i"],
     ["x, i, j", "x, k, j", "x, j, k", "row, j", "v, j", "y, j, k", "column, j"],
     ["x, i, j", "row, j", "v, j", "x, j, k", "y, i, j"]),
]  # fmt: skip
ODD = ["x, i, back", "v, back", "x, j, j", "v, i", "x, i, k", "v, next", "x, next, j", "v, prev",
       "x, i, prev", "x, k, prev"]  # fmt: skip


class Draw:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.values, self.numbers = ["half", "half"], 0
        self.fixed, self.moving, self.stored = self.random.choice(FAMILIES)
        self.odd = 0.3 if self.random.random() < 0.3 else 0.0

    def new(self, stem):
        self.numbers += 1
        return f"{stem}{self.numbers}"

    def value(self):
        r = self.random
        return r.choice(self.values[-4:] if r.random() < 0.7 else self.values)

    def loads(self, places, count):
        lines = []
        for _ in range(count):
            name = self.new("u")
            lines.append(f"{name}: TYPE = load({self.random.choice(places)})")
            self.values.append(name)
        return lines

    def sums(self):
        name = self.new("t")
        op = self.random.choice(["add", "add", "mul", "sub"])
        lines = [f"{name}: TYPE = {op}({self.value()}, {self.value()})"]
        self.values.append(name)
        return lines

    def stores(self):
        r = self.random
        place = r.choice(ODD if r.random() < self.odd else self.stored)
        store = f"{r.choice(['store', 'store', 'add_at'])}({place}, {self.value()})"
        if r.random() < 0.25:
            return [store]
        cond = self.new("c")
        lines = [f"{cond}: bool = {r.choice(['lt', 'ge', 'ne'])}({self.value()}, {self.value()})"]
        match r.choice(["if", "if", "else", "joined", "nested"]):
            case "if":
                lines += [f"if {cond}:", f"    {store}"]
            case "else":
                other = r.choice(["t9: TYPE = add(half, half)", f"store({place}, half)"])
                lines += [f"if {cond}:", f"    {other}", "else:", f"    {store}"]
            case "nested":
                inner = self.new("c")
                test = f"{inner}: bool = lt({self.value()}, {self.value()})"
                body = [test, f"if {inner}:", f"    {store}"]
                lines += [f"if {cond}:", *(f"    {line}" for line in body)]
            case _:
                name = self.new("w")
                lines += [f"{name}: TYPE", f"if {cond}:", f"    {store}"]
                lines += [f"    {name} = {self.value()}", "else:", f"    {name} = half"]
                self.values.append(name)
        return lines

    def text(self):
        r = self.random
        lines = ["next: int = add(j, 1)", "prev: int = sub(j, 1)", "back: int = sub(5, j)"]
        lines += self.loads(self.fixed, r.choice([1, 1, 2]))
        for _ in range(r.randint(2, 5)):
            kind = r.choice(["load", "load", "sum", "sum", "store", "fixed"])
            lines += {
                "load": lambda: self.loads(ODD if r.random() < self.odd else self.moving, 1),
                "fixed": lambda: self.loads(ODD if r.random() < self.odd else self.fixed, 1),
                "sum": self.sums,
                "store": self.stores,
            }[kind]()
        lines += self.stores()
        if r.random() < 0.1:
            self.values.append("q")
        lines += [f"q1: TYPE = {r.choice(['add', 'add', 'mul'])}(q, {self.value()})"]
        head = "reversed(range(lo, hi))" if r.random() < 0.3 else "range(lo, hi)"
        text = HEAD + "\n".join([
            "    half: TYPE = load(v, 0)",
            "    q: TYPE = half",
            f"    for j in {head}:",
            *[f"        {line}" for line in lines],
            "        q = q1",
            "    return (q,)\n",
        ])  # fmt: skip
        return text.replace("TYPE", r.choice(["f64", "f64", "i64"]))

    def arguments(self):
        r = self.random
        numbers = np.random.default_rng(r.randrange(1000))
        lo = r.choice([1, 1, 1, 3])
        hi = r.choice([lo, lo + 1, 5, 5, 5, -1])
        place = [r.randrange(N) for _ in range(3)]
        if r.random() < 0.3:
            place[1] = place[0]
        whole = "i64[" in self.drawn

        def some(*shape):
            drawn = numbers.integers(-3, 4, size=shape)
            return drawn if whole else drawn / 4

        args = [some(N, N), some(N, N), some(N)]
        if not whole and r.random() < 0.2:
            args[0][place[0], place[1]] = r.choice([np.nan, -0.0, np.inf])
        return [*args, *place, lo, hi]


def drawn(seed):
    draw = Draw(seed)
    draw.drawn = draw.text()
    return draw.drawn, draw.arguments()


def is_wrong(seed, build=python.build):
    """Whether a program computes something else after the pass; None: it says nothing."""
    text, args = drawn(seed)

    def make():
        return parse(text, REGISTRY)

    with np.errstate(all="ignore"):
        if to_text(make()) == to_text(loop_versioning(make())):
            return None
        if isinstance(outcome(python.build, make(), args), tuple):
            return None  # places outside of an array: what the checks of a program exclude
        return not agree(make, args, build, loop_versioning)


def test_random_loops():
    seeds = share(range(1500))
    none_is_wrong(is_wrong, seeds, len(seeds) // 8)


@pytest.mark.parametrize("way", ["", "guarded"])
def test_random_loops_as_machine_code(way, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CPU", way)
    seeds = share(range(3000, 3300))
    none_is_wrong(lambda seed: is_wrong(seed, cpu_build), seeds)


def fails(seed):
    try:
        return is_wrong(seed)
    except AssertionError:
        return True  # the program is not legal any more


@pytest.mark.parametrize(
    ("owner", "name", "weak", "seed"),
    [
        (module.Conflict, "reads_first", lambda self: True, 582),
        (module.Meeting, "joined", lambda self, other: self, 93),
        (module, "replaced", lambda p, v, by: module.plus(p, module.constant(1)), 17),
    ],
)
def test_a_weaker_proof_is_noticed(owner, name, weak, seed, monkeypatch):
    assert is_wrong(seed) is not True
    monkeypatch.setattr(owner, name, weak)
    assert fails(seed)


def is_not_looked_at(self, s):
    """The loop itself is dependent, and what is left of it is not."""
    self.looked = not getattr(self, "looked", False)
    return not self.looked


# the condition of trip k is not the one that the loop finds: an earlier trip changes an operand,
# the trip itself does
OPERANDS = [
    (
        module._LoopVersioning,
        "is_independent",
        is_not_looked_at,
        ("prev: int = sub(j, 1)", "w: f64 = load(x, prev)", "z: f64 = add(w, a)"),
    ),
    (
        module._Guard,
        "reads_old",
        lambda self, block, stored: True,
        ("store(y, j, a)", "w: f64 = load(y, j)", "z: f64 = add(w, a)"),
    ),
]


@pytest.mark.parametrize(("owner", "name", "weak", "lines"), OPERANDS)
def test_operands_that_the_loop_changes(owner, name, weak, lines, monkeypatch):
    body = (
        "u: f64 = load(x, k)", *lines, "c: bool = gt(w, u)", "if c:", "    store(x, j, z)",
        "v: f64 = load(x, k)", "add_at(y, j, v)",
    )  # fmt: skip
    text = "\n".join(["for j in range(1, n):", *(f"    {line}" for line in body)])
    f = program("x: f64[n], y: f64[m], k: int, a: f64", text)
    args = vec(5, 0, 0, 0), vec(-1, -1, -1, -1), 2, 0.5
    before = outcome(python.build, f, args)
    assert same(outcome(python.build, after(loop_versioning, f), args), before)
    monkeypatch.setattr(owner, name, weak)
    assert not same(outcome(python.build, after(loop_versioning, f), args), before)


# ---- programs ----
def floyd_warshall(D):
    D = D.copy()
    n = len(D)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                t = D[i, k] + D[k, j]
                if t < D[i, j]:
                    D[i, j] = t
    return np.sum(D * np.cos(np.arange(n * n)).reshape(n, n))


def longest(D):
    D = D.copy()
    n = len(D)
    for k in range(n):
        for i in range(n):
            for j in range(n - 1, -1, -1):
                D[i, j] = max(D[i, j], 0.3 * D[i, k] + D[k, j])
    return np.sum(D * D)


def jordan(A):
    A = A.copy()
    n = len(A)
    for k in range(n):
        for j in range(n - 1, k - 1, -1):
            A[k, j] /= A[k, k]
        for i in range(n):
            if i != k:
                for j in range(n - 1, -1, -1):
                    A[i, j] -= A[i, k] * A[k, j]
    return np.sum(A * np.cos(np.arange(n * n)).reshape(n, n))


def relaxed(x, y, k, begin, end):
    total = 0.0
    for j in range(begin, end):
        t = x[k] + y[j]
        if t < x[j]:
            x[j] = t
        total += t * x[j]
    return total + np.sum(x * x)


def through_a_row(D, k):
    D = D.copy()
    for i in range(len(D)):
        row, other = D[i], D[k]
        for j in range(len(D)):
            if row[k] * other[j] < row[j]:
                row[j] = row[k] * other[j]
    return np.sum(D * D)


MATRIX = np.round(np.cos(np.arange(16.0) ** 2).reshape(4, 4), 3)
CASES = [
    (floyd_warshall, (MATRIX + 2.0,)),
    (floyd_warshall, (MATRIX + 0.3,)),  # negative numbers on the diagonal
    (longest, (MATRIX,)),
    (jordan, (MATRIX + 6.0 * np.eye(4),)),
    (through_a_row, (MATRIX, 2)),
    *((relaxed, (MATRIX[0], MATRIX[1], k, 0, 4)) for k in (0, 2, 3, -1)),
    *((relaxed, (MATRIX[0], MATRIX[1], 2, *ends)) for ends in ((2, 2), (2, 3), (3, 4), (3, 1))),
]


def results(f, args, target):
    made = []
    for off in ((), ("loop_versioning",)):
        with without(*off):
            g = flow.value_and_grad(flow.compile(lambda *a: f(*a), target=target, fastmath=False))
            made.append(g(*args))
    return made


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(("f", "args"), CASES)
def test_gradients(f, args, target):
    (value, g), (value0, g0) = results(f, args, target)
    assert value == value0
    np.testing.assert_allclose(g, g0, rtol=1e-13, atol=1e-13)
    if target == "python":
        flow.testing.gradcheck(f, args, target=target, order=2)


def test_not_a_number_and_infinity():
    for special in (np.nan, np.inf, -np.inf):
        D = MATRIX + 2.0
        D[1, 1] = D[0, 3] = special
        (value, g), (value0, g0) = results(floyd_warshall, (D,), "python")
        np.testing.assert_array_equal(value, value0)
        np.testing.assert_allclose(g, g0, rtol=1e-14)


def one_array_twice():
    x = MATRIX[0].copy()
    return x, x


def overlapping():
    x = MATRIX[1].copy()
    return x[:-1], x[1:]


def empty():
    return np.zeros(0), np.zeros(0)


@pytest.mark.parametrize("make", [one_array_twice, overlapping, empty])
@pytest.mark.parametrize("target", ["python", "cpu"])
def test_arguments_that_share_memory(make, target):
    (x, y), (x0, y0) = make(), make()
    n = len(x)
    got = flow.compile(relaxed, target=target, fastmath=False)(x, y, n // 2, 0, n)
    assert got == relaxed(x0, y0, n // 2, 0, n)
    np.testing.assert_array_equal(x, x0)
    np.testing.assert_array_equal(y, y0)


@pytest.mark.parametrize("k", [7, -9])
def test_a_place_that_does_not_exist(k):
    x, y = MATRIX[0].copy(), MATRIX[1]
    f = flow.compile(relaxed, target="python")
    with pytest.raises(IndexError):
        f(x, y, k, 0, 4)
    np.testing.assert_array_equal(x, MATRIX[0])
    assert f(x, y, k, 3, 3) == np.sum(x * x)


def innermost(f, *args):
    """The number of innermost loops of a program."""
    made = flow.compile(f, target="python")
    made(*args)
    found = parse(made.ir(), REGISTRY)
    loops = [s for s in walk(found.body) if isinstance(s, For)]
    return sum(not any(isinstance(t, For) for t in walk(s.body)) for s in loops)


@pytest.mark.parametrize(
    ("f", "args", "more"), [(floyd_warshall, CASES[0][1], 1), (jordan, CASES[3][1], 1)]
)
def test_two_loops_for_one(f, args, more):
    found = innermost(f, *args)
    with without("loop_versioning"):
        assert found == innermost(f, *args) + more


def test_versions_stay_as_they_are():
    once = loop_versioning(parse(FIRST, REGISTRY))
    assert to_text(once) == to_text(loop_versioning(parse(to_text(once), REGISTRY)))


def test_a_promise_is_kept():
    f = parse(FIRST.replace("range(0, n)", "promised(range(0, n))"), REGISTRY)
    assert to_text(loop_versioning(f)) == to_text(f)


FIRST = """
def f(x: f64[n], a: f64, k: int):
    n: int = dim(x, axis=0)
    for j in range(0, n):
        u: f64 = load(x, k)
        w: f64 = load(x, j)
        t: f64 = mul(u, a)
        c: bool = lt(t, w)
        if c:
            store(x, j, t)
    return ()
"""
