"""Known zeros: random programs give the same bits, and proofs that are too weak are noticed."""

import numpy as np
import pytest

from srcgrad.backends import python
from srcgrad.passes import known_zeros as module
from srcgrad.passes.known_zeros import known_zeros
from srcgrad.passes.tiles import Known
from srcgrad.passes.zero_regions import ZeroRegions
from tests.passes import random_programs
from tests.passes.random_programs import cpu_build, differs, function, indented, loop, none_is_wrong
from tests.tools.turns import share

HEAD = """
def f(x: f64[n], y: f64[m], w: f64[n]):
    n: int = dim(x, axis=0)
    m: int = dim(y, axis=0)
    e: int = sub(n, 1)
    p: int = maximum(e, 0)
"""
BUFFERS = ["u: f64[n] = zeros(n, dtype='f64')", "u: f64[n] = copy(x)", "u: f64[n] = copy(w)"]
# the ends of loops, and the places that are inside of an array of n elements
RANGES = [("0", "n", ["k"]), ("1", "e", ["k", "k", "less", "more"]), ("0", "e", ["k", "more"]),
          ("1", "n", ["k", "less"]), ("0", "p", ["k", "more"])]  # fmt: skip
WHOLE = [("0", "n", ["k"])]


class Draw(random_programs.Draw):
    def __init__(self, seed):
        super().__init__(seed, "s")
        r = self.random
        self.names = r.choice([["u"], ["u"], ["u", "u", "v"], ["u", "h"], ["u", "h", "v"]])
        self.ranges = WHOLE if r.random() < 0.3 else r.sample(RANGES, 2)
        if r.random() < 0.4:
            self.ranges = [*self.ranges, *WHOLE]
        self.inside = "h" in self.names and r.random() < 0.5
        self.depth, self.usual = 0, r.choice([0.6, 0.95, 1.0])

    def array(self):
        r = self.random
        return self.names[0] if r.random() < self.usual else r.choice(self.names)

    def over(self, lines):
        """A loop whose lines are made for one of its places."""
        r = self.random
        low, high, places = self.ranges[0] if r.random() < self.usual else r.choice(self.ranges)
        head = f"range({low}, {high})"
        body = ["h: f64[n] = view(u, 0, n, 1, spec=('s',))"] * (self.inside and r.random() < 0.5)
        body += ["less: int = sub(k, 1)", "more: int = add(k, 1)"]
        made = lines(places[0] if r.random() < self.usual else r.choice(places))
        if any("g" in line for line in made):
            body.append("g: f64 = load(x, k)")
        body += made
        carried, ends = {}, ""
        if r.random() < 0.1:
            body.append("q1: f64 = add(q, 0.5)")
            carried, ends = {"q": "s"}, "q1"
        trips = loop(
            f"k in {f'reversed({head})' if r.random() < 0.2 else head}", carried, body, ends
        )
        return [*trips, "add_at(w, 0, q)"] if carried else trips

    def beside(self):
        """What a trip does besides: nothing, mostly."""
        r = self.random
        return r.choice([[]] * 15 + [
            ["add_at(w, k, g)"], ["z: f64 = load(w, k)", "add_at(w, more, z)"],
            ["z: f64 = load(w, more)", "z1: f64 = mul(z, 0.5)", "add_at(w, k, z1)"],
            [f"z: f64 = load({self.array()}, k)", "add_at(w, 0, z)"],
            ["b: bool = lt(g, s)", "if b:", "    add_at(w, 1, g)"],
            *[["z: f64 = load(w, 0)", "z1: f64 = sub(g, z)", "store(w, 0, z1)"]] * 2,
        ])  # fmt: skip

    def adds(self, place):
        r, name = self.random, self.array()
        value = r.choice(["g", "g", "s", "-0.0", "a"])
        lines = ["a: f64 = mul(g, s)", *self.beside()]
        match r.choice(["add"] * 5 + ["sum", "sum", "store", "twice", "branch"]):
            case "add":
                lines.append(f"add_at({name}, {place}, {value})")
            case "sum":
                late = r.choice([[]] * 4 + [
                    ["b: bool = lt(s, g)", "if b:", "    add_at(w, 1, o)"], ["add_at(w, 1, o)"],
                ])  # fmt: skip
                lines += [f"o: f64 = load({name}, {place})", f"c: f64 = add({value}, o)", *late]
                lines.append(f"store({name}, {place}, c)")
            case "store":
                lines.append(f"store({name}, {place}, {value})")
            case "twice":
                lines += [f"add_at({name}, {place}, g)", f"add_at({name}, k, s)"]
            case _:
                lines += ["b: bool = lt(g, s)", "if b:", f"    add_at({name}, {place}, g)"]
        return lines + self.beside()

    def zeros(self, place):
        r = self.random
        lines = r.choice([[]] * 6 + [[f"o: f64 = load({self.array()}, k)", "add_at(w, k, o)"]])
        lines.append(f"store({self.array()}, {place}, {r.choice(['0.0'] * 9 + ['1.0'])})")
        return [*lines, f"add_at({self.array()}, {place}, s)"] if r.random() < 0.1 else lines

    def reads(self, place):
        return [f"o: f64 = load({self.array()}, {place})", "add_at(w, k, o)"]

    def one(self):
        op, place = (
            self.random.choice(["add_at", "add_at", "store"]),
            self.random.choice(["0", "e"]),
        )
        return [f"{op}({self.array()}, {place}, {self.random.choice(['s', '2.0', '0.0'])})"]

    def branch(self):
        r, name = self.random, self.new("c")
        test = r.choice(["ge(n, 3)", "ge(n, 2)", "ge(n, 1)", "ge(s, 0.1)", "ge(s, 0.1)"])
        self.depth += 1
        then, other = self.part(), self.part() if r.random() < 0.6 else []
        self.depth -= 1
        lines = [f"{name}: bool = {test}", f"if {name}:", *indented(then)]
        return [*lines, *(["else:", *indented(other)] if other else [])]

    def edges(self):
        """Pieces that are all elements, mostly."""
        name, r = self.array(), self.random
        inner = ["for k in range(1, e):", "    g: f64 = load(x, k)", f"    add_at({name}, k, g)"]
        parts = [[f"add_at({name}, 0, s)"], inner, [f"add_at({name}, e, s)"]]
        r.shuffle(parts)
        if r.random() < 0.2:
            parts.pop()
        lines = [line for p in parts for line in p]
        if r.random() < 0.3:
            return lines
        c = self.new("c")
        return [f"{c}: bool = ge(n, {r.choice([2, 2, 3, 1])})", f"if {c}:", *indented(lines)]

    def part(self):
        r, lines = self.random, []
        for _ in range(r.choice([1, 1, 2, 3])):
            kind = r.choice(["adds", "adds", "reads", "zeros", "zeros", "one", "branch", "edges"])
            if kind == "branch" and self.depth > 1:
                continue
            made = {"one": self.one, "branch": self.branch, "edges": self.edges}.get(kind)
            lines += made() if made else self.over(getattr(self, kind))
        return lines or self.over(self.adds)

    def trip(self):
        r = self.random
        if r.random() < 0.7:
            parts = [self.over(self.adds), self.over(self.reads), self.over(self.zeros)]
            if r.random() < 0.3:
                parts[0] = [*self.one(), *parts[0]]
            at = r.randrange(3)
            return [line for p in (*parts[at:], *parts[:at]) for line in p]
        return [*self.part(), *self.part()]

    def text(self):
        r = self.random
        zeroed = r.random() < 0.9
        lines = [BUFFERS[0] if zeroed else r.choice(BUFFERS), "v: f64[n] = zeros(n, dtype='f64')"]
        low, step = r.choice([("0", "1"), ("0", "1"), ("0", "2")])
        length = "n" if step == "1" else "0"
        if step == "1":
            lines.append(f"h: f64[{length}] = view(u, {low}, {length}, {step}, spec=('s',))")
        else:
            lines.append("h: f64[n] = view(v, 0, n, 1, spec=('s',))")
        if r.random() < 0.3:
            lines += ["s: f64 = load(y, 0)", *self.trip()]
            lines = [line.replace("s: f64", "s0: f64") for line in lines[:2]] + lines[2:]
        body = ["s: f64 = load(y, t)", *self.trip()]
        lines += ["for t in range(0, m):", *indented(body)]
        if r.random() < 0.3:
            lines += ["s: f64 = load(y, 0)", *self.trip()]
        return function(HEAD, lines, "u", "v")

    def arguments(self):
        numbers = np.random.default_rng(self.random.randrange(1000))
        n, m = self.random.choice([(5, 3), (4, 2), (3, 3), (2, 2), (1, 2), (5, 1), (0, 2), (6, 1)])
        return [np.round(numbers.normal(size=k), 2) for k in (n, m, n)]


def is_wrong(seed, build=python.build):
    """Whether a program computes something else after the pass; None: it says nothing."""
    draw = Draw(seed)
    return differs(draw.text(), draw.arguments(), known_zeros, build, in_bounds=True)


def test_random_programs():
    seeds = share(range(1600))
    none_is_wrong(is_wrong, seeds, len(seeds) // 8)


def test_random_programs_as_machine_code():
    none_is_wrong(lambda seed: is_wrong(seed, cpu_build), share(range(4000, 4160)), 2)


def always(value):
    return lambda *_, **__: value


WEAK = [
    (Known, "is_nonnegative", always(True)),  # pieces may be of fewer than no elements
    (Known, "is_outside", always(True)),
    (Known, "tile", lambda self, pieces, z: len(pieces) > 0),
    (ZeroRegions, "is_zero", lambda self, block, z: len(block) > 1),  # before the first trip
    (ZeroRegions, "stores_once", always(True)),
    (module, "walk", list),  # what branches read
]


@pytest.mark.parametrize(("owner", "name", "weak"), WEAK)
def test_a_weaker_proof_is_noticed(owner, name, weak, monkeypatch):
    monkeypatch.setattr(owner, name, weak)

    def fails(seed):
        try:
            return is_wrong(seed)
        except AssertionError:
            return True  # the program is not legal any more

    assert any(fails(seed) for seed in range(500))
