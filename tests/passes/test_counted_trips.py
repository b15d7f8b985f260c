"""Counters of trips in closed form: the same numbers, and loops that carry and reserve nothing."""

import random
from functools import partial

import pytest

from srcgrad.ir.nodes import For, Function
from srcgrad.ir.walk import walk
from srcgrad.passes.counted_trips import counted_trips
from srcgrad.passes.rewrite import Rewriter
from tests.passes.pass_programs import after, agree, count, program, text, vec
from tests.tools.turns import share

VECTORS = partial(program, "x: f64[n], k: int")


def calls():
    return [(vec(*x), k) for x in ([0.5, -1.0, 2.0], [0.25], []) for k in (3, 0, -2)]


def carried(f: Function) -> int:
    return sum(len(s.params) for s in walk(f.body) if isinstance(s, For))


# ---- random nests ----
class Nest:
    """Loops that count in random steps, and write where they have come to into an array."""

    def __init__(self, seed: int):
        self.random, self.fresh = random.Random(seed), 0
        self.lines = ["out: f64[40] = zeros(40, dtype='f64')"]

    def name(self, stem: str) -> str:
        self.fresh += 1
        return f"{stem}{self.fresh}"

    def source(self) -> str:
        ends = [self.loop(0, [], "i64(2)", "i64"), self.loop(0, [], "k", "int")]
        for end in ends:
            self.put(0, f"add_at(out, 0, {self.as_float(end, 0)})")
        return "\n".join(self.lines)

    def put(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    def as_float(self, a: str, depth: int) -> str:
        self.put(depth, f"{(v := self.name('v'))}: f64 = cast({a}, dtype='f64')")
        return v

    def loop(self, depth: int, around: list[str], init: str, kind: str) -> str:
        """A loop that carries one counter; its name afterwards."""
        at, i = self.name("at"), self.name("i")
        start = self.random.choice(["0", "1", "k", *around])
        stop = self.random.choice(["n", "3", "k"])
        down = self.random.random() < 0.4
        trips = f"range({start}, {stop})"
        self.put(depth, f"{at}: {kind} = {init}")
        self.put(depth, f"for {i} in {f'reversed({trips})' if down else trips}:")
        inner, now = depth + 1, at
        for _ in range(self.random.randint(1, 3)):
            now = self.step(inner, now, kind, [*around, i])
        self.store(inner, at)
        self.put(inner, f"{at} = {now}")
        return at

    def step(self, depth: int, now: str, kind: str, around: list[str]) -> str:
        if len(around) < 3 and self.random.random() < 0.4:
            return self.loop(depth, around, now, kind)
        size = self.random.choice(["1", "2", "k", "n", "-3"])
        op = self.random.choice(["add", "sub"])
        left, right = (size, now) if op == "add" and self.random.random() < 0.4 else (now, size)
        self.put(depth, f"{(new := self.name('at'))}: {kind} = {op}({left}, {right})")
        self.store(depth, new)
        return new

    def store(self, depth: int, a: str) -> None:
        """Adds to a place that depends on the counter."""
        place, value = self.name("p"), self.as_float(a, depth)
        self.put(depth, f"{place}: i64 = mod({a}, i64(37))")
        self.put(depth, f"add_at(out, {place}, {value})")


@pytest.mark.parametrize("seed", share(range(90)))
def test_random_counters_count_the_same(seed):
    f = VECTORS(Nest(seed).source(), "out,")
    assert carried(agree(counted_trips, f, *calls())) < carried(f)


# ---- what is left ----
LIST = """
t: tape[f64] = tape(16, dtype='f64')
m: int = 0
for i in range(0, n):
    v: f64 = load(x, i)
    reserve(t, {size})
    store(t, m, v)
    r: int = add(m, 1)
    m = r
w: f64[m] = tape_view(t, 0, m)
s: f64 = sum(w, axes=(0,))
"""


def test_a_list_is_as_long_as_its_loop_before_it():
    f = VECTORS(
        LIST.replace("    reserve", "    q: int = add(m, 1)\n    reserve").format(size="q"), "s,"
    )
    new = agree(counted_trips, f, *calls())
    assert carried(new) == 0
    assert text(new).index("reserve(t, ") < text(new).index("for i")
    assert count(new, "reserve") == 1


TRIANGLE = """
t: tape[f64] = tape(16, dtype='f64')
for i in range(0, n):
    for j in range(0, k):
        v: f64 = load(x, i)
        a: int = mul(i, {width})
        b: int = add(a, j)
        c: int = add(b, 1)
        reserve(t, c)
        store(t, b, v)
"""


@pytest.mark.parametrize(("width", "moved"), [("9", True), ("k", False)])
def test_room_is_made_where_a_bound_is_known(width, moved):
    """Of a product with a number of unknown sign there is no bound."""
    new = agree(counted_trips, VECTORS(TRIANGLE.format(width=width)), *calls())
    assert ("    reserve" not in text(new)) is moved


RAGGED = """
t: tape[f64] = tape(16, dtype='f64')
at: int = 0
for i in range(0, n):
    v: f64 = load(x, i)
    c: int = mul(i, i)
    b: int = at
    for j in range(0, c):
        r: int = add(b, 1)
        reserve(t, r)
        store(t, b, v)
        b = r
    at = b
"""


def test_room_is_made_before_all_loops_or_nowhere():
    f = VECTORS(RAGGED, "at,")
    new = agree(counted_trips, f, *calls())
    assert "        reserve" in text(new)


KEPT = {
    "a branch counts": "m: int = add(at, 1)\nd: bool = lt(i, k)\nnew: int\nif d:\n    new = m\n"
    "else:\n    new = at",
    "steps differ": "new: int = add(at, i)",
    "it doubles": "new: int = add(at, at)",
    "it is multiplied": "new: int = mul(at, 3)",
    "it is taken away": "new: int = sub(k, at)",
    "another counter": "new: int = add(at, h)",
}


@pytest.mark.parametrize("name", KEPT)
def test_what_is_no_counter_stays(name):
    body = "\n".join("    " + line for line in KEPT[name].splitlines())
    f = VECTORS(
        f"at: int = 0\nh: int = k\nfor i in range(0, n):\n{body}\n    g: int = mul(h, 2)\n"
        "    at, h = new, g",
        "at, h,",
    )
    new = agree(counted_trips, f, *calls())
    assert carried(new) == 2


def test_narrow_integers_wrap_as_before():
    f = program(
        "x: f64[n], k: int",
        "at: i8 = i8(100)\nfor i in range(0, 50):\n    b: i8 = add(at, i8(3))\n    at = b",
        "at,",
    )
    assert carried(after(counted_trips, f)) == 1


@pytest.mark.parametrize("depth", [4, 8, 16])
def test_each_level_is_walked_as_often_as_the_others(depth, monkeypatch):
    """The statements that the pass goes through are as many as those of the program."""
    lines = []
    for d in range(depth):
        before = f"at{d - 1}" if d else "0"
        lines += [f"{'    ' * d}at{d}: int = {before}", f"{'    ' * d}for i{d} in range(0, 2):"]
    lines.append(f"{'    ' * depth}b: int = add(at{depth - 1}, 1)")
    for d in reversed(range(depth)):
        lines.append(f"{'    ' * (d + 1)}at{d} = {'b' if d == depth - 1 else f'at{d + 1}'}")
    made = []
    inner = Rewriter.statement
    monkeypatch.setattr(Rewriter, "statement", lambda self, s: made.append(s) or inner(self, s))
    new = after(counted_trips, program("x: f64[n], k: int", "\n".join(lines), "at0,"))
    assert carried(new) == 0
    assert len(made) <= 6 * depth + 6
