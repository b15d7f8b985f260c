"""Loops in versions: random loops give the same bits, and proofs that are too weak are noticed."""

import numpy as np
import pytest

from srcgrad.backends import python
from srcgrad.passes import loop_versioning as module
from srcgrad.passes.loop_versioning import loop_versioning
from tests.backends.backend_programs import outcome, same
from tests.passes import random_programs
from tests.passes.pass_programs import after, program, vec
from tests.passes.random_programs import cpu_build, differs, function, loop, none_is_wrong
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
    half: TYPE = load(v, 0)
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


class Draw(random_programs.Draw):
    def __init__(self, seed):
        super().__init__(seed, "half", "half")
        self.fixed, self.moving, self.stored = self.random.choice(FAMILIES)
        self.odd = 0.3 if self.random.random() < 0.3 else 0.0

    def loads(self, places, count):
        lines = []
        for _ in range(count):
            lines += self.defined("u", f"load({self.random.choice(places)})", "TYPE")
        return lines

    def sums(self):
        op = self.random.choice(["add", "add", "mul", "sub"])
        return self.defined("t", f"{op}({self.value()}, {self.value()})", "TYPE")

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
        trips = loop(f"j in {head}", {"q": "half"}, lines, "q1", "TYPE")
        return function(HEAD, trips, "q").replace("TYPE", r.choice(["f64", "f64", "i64"]))

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
    return differs(*drawn(seed), loop_versioning, build, in_bounds=True)


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
