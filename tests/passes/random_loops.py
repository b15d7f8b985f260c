"""Random loops, innermost ones or with loops in them, for passes that keep the order of a trip."""

import numpy as np

from srcgrad.backends import python
from tests.passes import random_programs
from tests.passes.random_programs import differs, function, loop

N = 12
HEAD = """
def f(x: f64[n], y: f64[m], v: f64[c], k: int, lo: int, hi: int):
    n: int = dim(x, axis=0)
    m: int = dim(y, axis=0)
    c: int = dim(v, axis=0)
    half: f64 = load(v, 0)
"""
PLACES = ["x, j", "y, j", "v, j", "x, k", "y, k", "x, next", "y, prev", "y, capped", "v, capped"]
FUNCTIONS = ["sin", "cos", "tanh", "exp"]


class Draw(random_programs.Draw):
    def __init__(self, seed):
        super().__init__(seed, "half", "q")

    def line(self, kind):
        r = self.random
        match kind:
            case "load":
                return self.defined("u", f"load({r.choice(PLACES)})")
            case "function":
                return self.defined("e", f"{r.choice(FUNCTIONS)}({self.value()})")
            case "sum":
                return self.defined(
                    "t", f"{r.choice(['add', 'mul', 'sub', 'minimum'])}({self.value()}, half)"
                )
            case "store":
                return [
                    f"{r.choice(['store', 'store', 'add_at'])}({r.choice(PLACES)}, {self.value()})"
                ]
            case _:
                cond, name = self.new("c"), self.new("w")
                lines = [
                    f"{cond}: bool = lt({self.value()}, {self.value()})",
                    f"{name}: f64",
                    f"if {cond}:",
                    f"    store({r.choice(PLACES)}, {self.value()})",
                    f"    {name} = {self.value()}",
                    "else:",
                    f"    {name} = half",
                ]
                self.values.append(name)
                return lines

    def text(self):
        r = self.random
        lines = [
            "next: int = add(j, 1)", "prev: int = sub(j, 1)", "capped: int = minimum(j, 4)",
            *self.line("load"), *self.line("function"),
        ]  # fmt: skip
        kinds = ["load", "function", "sum", "sum", "store", "store", "branch"]
        for _ in range(r.randint(2, 6)):
            lines += self.line(r.choice(kinds))
        update = r.choice(["mul(q, {0})", "sub({0}, q)", "where(c0, q, {0})", "add(q, {0})"])
        if "c0" in update:
            lines.append(f"c0: bool = lt({self.value()}, {self.value()})")
        lines += [f"q0: f64 = {update.format(self.value())}", "q1: f64 = tanh(q0)"]
        head = r.choice(["range(lo, hi)", "reversed(range(lo, hi))", "range(1, 8)"])
        ends = r.choice(["q1", "q1", "q0", lines[4].split(":")[0]])
        return function(HEAD, loop(f"j in {head}", {"q": "half"}, lines, ends), "q")

    def arguments(self):
        r = self.random
        numbers = np.random.default_rng(r.randrange(1000))
        lo = r.choice([1, 1, 2, 5])
        hi = r.choice([lo, lo + 1, lo + 3, 10, 10, 10, -1])
        arrays = [np.round(numbers.normal(size=N) / 2, 2) for _ in range(3)]
        if r.random() < 0.2:
            arrays[0][4] = r.choice([np.nan, -0.0, np.inf])
        return [*arrays, r.randrange(N), lo, hi]


class DrawNest(Draw):
    """A loop with loops in it."""

    def line(self, kind):
        return self.inner() if kind == "loop" else super().line(kind)

    def inner(self):
        r, name = self.random, self.new("r")
        place = r.choice(["x, h", "v, h", "y, h", "y, j", "x, j", "y, next", "y, prev", "x, prev"])
        lines = [
            f"{name}: f64 = {self.value()}" if r.random() < 0.5 else f"{name}: f64 = f64(0.5)",
            f"for h in range({r.choice(['0, c', '0, j', '2, 5', 'j, c'])}):",
            f"    a: f64 = load({place})",
            f"    b: f64 = {r.choice(['mul', 'add', 'sub'])}({name}, a)",
        ]
        if r.random() < 0.4:
            to = r.choice(["y, h", "y, j", "v, h", "v, j", "v, capped"])
            lines.append(f"    {r.choice(['store', 'add_at'])}({to}, a)")
        self.values.append(name)
        return [*lines, f"    {name} = {r.choice(['b', 'b', 'a'])}"]

    def text(self):
        r = self.random
        lines = [
            "next: int = add(j, 1)", "prev: int = sub(j, 1)", "capped: int = minimum(j, 4)",
            *self.line("load"), *self.line(r.choice(["loop", "function"])),
        ]  # fmt: skip
        kinds = ["load", "function", "function", "loop", "loop", "sum", "store", "branch"]
        for _ in range(r.randint(3, 8)):
            lines += self.line(r.choice(kinds))
        if r.random() < 0.5:
            lines += [*self.line("function"), *self.line("store")]
        sums = ["add(q, {0})", "mul({0}, q)", "maximum(q, {0})", "sub({0}, q)", "sin({0})"]
        names = ["q"] if r.random() < 0.6 else ["q", "p"]
        if "p" in names:
            self.values.append("p")
        lines += [f"{n}0: f64 = {r.choice(sums).format(self.value())}" for n in names]
        ends = ", ".join(r.choice([n + "0", n + "0", n + "0", n, "u1"]) for n in names)
        head = r.choice(["range(lo, hi)", "reversed(range(lo, hi))", "range(1, 8)"])
        return function(
            HEAD, loop(f"j in {head}", dict.fromkeys(names, "half"), lines, ends), *names
        )


def is_wrong(draw, run, build=python.build):
    """Whether a program computes something else after a pass; None: it says nothing."""
    return differs(draw.text(), draw.arguments(), run, build)
