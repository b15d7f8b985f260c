"""The state of one drawing: the random numbers, the names in scope, and the choice of a form.

A form is a template whose holes are named by the kind that goes in: `np.sin({s})`.  This module
knows how to fill templates; the templates stand in `expressions` and `moves`.
"""

import random
import string
from collections.abc import Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from tests.fuzz.tree import Expr

# Kinds that are names, and what the names hold.
STORABLE = {
    "n4": "v4", "n3": "v3", "n2": "v2", "nm": "m", "int": "int", "pair": "pair", "idx": "idx",
    "held": "held", "nk": "k", "mask": "mask",
    "nz": "z4", "nc3": "c3", "nc33": "c33",
}  # fmt: skip
# Kinds that can be had only while such a name is in scope.
WANTS = STORABLE | {"m": "m"}
# What a local name holds wherever it is bound, so that a join of two paths never changes a length.
LOCALS = {
    "d": "v4",
    "e": "v4",
    "z": "v3",
    "u": "v2",
    "g": "m",
    "pair": "pair",
    "idx": "idx",
    "held": "held",
}


@dataclass(frozen=True)
class Form:
    """One way to write something, and the constructs it counts as."""

    weight: float
    text: str
    tags: tuple[str, ...] = ()


@cache
def holes(text: str) -> tuple[str, tuple[str, ...]]:
    """The template with numbered holes, and the kinds that fill them.

    >>> holes("{n4}[{ix4}] = {s}")
    ('{0}[{1}] = {2}', ('n4', 'ix4', 's'))
    """
    kinds: list[str] = []
    numbered = ""
    for literal, kind, _, _ in string.Formatter().parse(text):
        numbered += literal.replace("{", "{{").replace("}", "}}")
        if kind is not None:
            numbered += f"{{{len(kinds)}}}"
            kinds.append(kind)
    return numbered, tuple(kinds)


@dataclass
class Draw:
    rng: random.Random
    forms: dict[str, tuple[Form, ...]]
    leaves: dict[str, tuple[Form, ...]]
    families: tuple[tuple[float, tuple[Any, ...]], ...]  # of moves, and how often each is drawn
    nests: tuple[Any, ...]
    scope: dict[str, str] = field(default_factory=dict)  # name -> kind
    loops: int = 0  # loops around the point being drawn
    count: int = 0  # for fresh names of loop variables

    @contextmanager
    def inner(self, loop: bool = False, var: str | None = None):
        """A block: names declared in it, such as a loop's variable, are not visible after it."""
        saved = self.scope
        self.scope, self.loops = dict(saved), self.loops + loop
        if var:
            self.scope[var] = "int"
        yield
        self.scope, self.loops = saved, self.loops - loop

    def names(self, kind: str) -> list[str]:
        return [name for name, k in self.scope.items() if k == kind]

    def possible(self, text: str) -> bool:
        """Whether there is a name in scope for every hole that wants one."""
        kinds = [WANTS[k] for k in holes(text)[1] if k in WANTS]
        return all(map(self.names, kinds))

    def pick(self, forms: Iterable[Form]) -> Form:
        usable = [f for f in forms if self.possible(f.text)]
        return self.rng.choices(usable, [f.weight for f in usable])[0]

    def fill(self, text: str, depth: int) -> tuple[str, tuple[Expr, ...]]:
        form, kinds = holes(text)
        return form, tuple(self.expr(kind, depth) for kind in kinds)

    def expr(self, kind: str, depth: int = 3) -> Expr:
        """A random expression of a kind, at most about `depth` operations deep."""
        if kind in STORABLE:
            return Expr(kind, self.choice(self.names(STORABLE[kind])))
        leaf = kind not in self.forms or depth <= 0 or self.rng.random() < 0.25
        form = self.pick(self.leaves[kind] if leaf and kind in self.leaves else self.forms[kind])
        text, args = self.fill(form.text, depth - 1)
        base = kind.rpartition("_")[2]  # a `bounded_s` is an `s` to the shrinker
        return Expr(base, text.replace("CUT", self.cut()), args, form.tags)

    def choice(self, items: Sequence[str]) -> str:
        return self.rng.choice(items)

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def cut(self) -> str:
        """A threshold no value of a program equals by construction."""
        return f"{self.rng.uniform(-0.5, 0.9):.3f}71"
