"""Additions that trips share in a fixed order, instead of atomic ones: deterministic=True.

Each trip stores its summands and their places. A stable sort by place puts the additions of a
statement to one element side by side, in the order of its trips, and a thread for each element adds
them up; then come those of the next statement.
Refuses additions whose number in a trip is known only when it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from srcgrad.backends.cuda.device import KernelText
from srcgrad.ir.nodes import Atom, Block, Def, For, Var, While
from srcgrad.ir.types import Array, Tape
from srcgrad.ir.walk import blocks, defined, walk
from srcgrad.primitives import memory

Texts = Callable[[Atom], str]


@dataclass(frozen=True)
class Addition:
    """One addition of a trip, the loops of the trip around it, and its place in the whole array."""

    statement: Def
    loops: tuple[For, ...]
    target: Var
    views: tuple[Def, ...]  # of the trip's own, the innermost first

    @property
    def dtype(self) -> str:
        return self.target.type.dtype

    def count(self, text: Texts) -> str:
        """The number of such additions in a trip."""
        return " * ".join(["1", *(_trips(s, text) for s in self.loops)])

    def slot(self, text: Texts) -> str:
        """The number of one of them, in the order of the trip."""
        slot = "0"
        for s in self.loops:
            at = f"{text(s.index)} - {text(s.start)}"
            at = f"{text(s.stop)} - 1 - {text(s.index)}" if s.reverse else at
            slot = f"({slot}) * {_trips(s, text)} + {at}"
        return slot

    def place(self, text: Texts) -> str:
        """The number of the element in the target."""
        at = [text(a) for a in self.statement.args[1:-1]]
        for view in self.views:
            at = _below(view, at, text)
        x = text(self.target)
        place = at[0] if at else "0"
        for k, index in enumerate(at[1:], 1):
            place = f"({place}) * {x}.shape[{k}] + {index}"
        return place


def _trips(s: For, text: Texts) -> str:
    return f"max({text(s.stop)} - {text(s.start)}, 0)"


def _below(view: Def, at: list[str], text: Texts) -> list[str]:
    """The coordinates in the source of a view."""
    if view.op is memory.transpose:
        return [at[view.params["perm"].index(k)] for k in range(len(at))]
    atoms, rest, out = list(view.args[1:]), list(at), list[str]()
    for code in view.params["spec"]:
        match code:
            case "n":
                rest.pop(0)
            case "i":
                out.append(text(atoms.pop(0)))
            case "s":
                start, _, step = (text(atoms.pop(0)) for _ in range(3))
                out.append(f"{start} + {step} * ({rest.pop(0)})")
            case _:
                out.append(rest.pop(0))
    return [*out, *rest]


def additions(body: Block, found: frozenset[Def]) -> list[Addition] | Def:
    """The additions that trips share, with their loops; or the first that has no fixed number."""
    made = {s.var: s for s in walk(body) if isinstance(s, Def) and s.var is not None}
    inside, out = defined(body), list[Addition]()
    for s, loops in _with_loops(body, ()):
        if s not in found:
            continue
        views, x = list[Def](), s.array
        while x in made and made[x].op.view:
            views.append(made[x])
            x = made[x].array
        ends = {a for t in loops if isinstance(t, For) for a in (t.start, t.stop)}
        fixed = all(isinstance(t, For) for t in loops) and not ends & inside
        if not fixed or any(v.op not in (memory.view, memory.transpose) for v in views):
            return s
        around = tuple(t for t in loops if isinstance(t, For))
        out.append(Addition(s, around, x, tuple(views)))
    return out


def _with_loops(
    block: Block, loops: tuple[For | While, ...]
) -> Iterator[tuple[Def, tuple[For | While, ...]]]:
    for s in block:
        if isinstance(s, Def):
            yield s, loops
        inner = (*loops, s) if isinstance(s, For | While) else loops
        for b in blocks(s):
            yield from _with_loops(b, inner)


# ---- adding up ----
def adding(x: Array | Tape, can_fail: bool) -> KernelText:
    """The kernel that adds the summands of trips to an array: a thread for each element."""
    ndim = x.ndim if isinstance(x, Array) else 1
    at = [f"at{k}" for k in range(ndim)]
    whole = ", ".join(at) or "()"
    lines = [
        f"def {adding_name(x, can_fail)}(order, places, values, x{', failed' * can_fail}):",
        "    flat = cuda.grid(1)",
        f"    while flat < order.size{' and failed[0] == 0' * can_fail}:",
        "        place = places[order[flat]]",
        "        if place >= 0 and (flat == 0 or places[order[flat - 1]] != place):",
        "            rest = place",
        *(f"            {at[k]} = rest % x.shape[{k}]\n            rest //= x.shape[{k}]"
          for k in range(ndim - 1, 0, -1)),
        *(["            at0 = rest"] if at else []),
        f"            value = x[{whole}]",
        "            last = flat",
        "            while last < order.size and places[order[last]] == place:",
        "                value = value + values[order[last]]",
        "                last += 1",
        f"            x[{whole}] = value",
        "        flat += cuda.gridsize(1)",
    ]  # fmt: skip
    many, parts = Array("i64", (0,)), Array(x.dtype, (0,))
    array = x if isinstance(x, Array) else parts
    record = (many,) if can_fail else ()
    source = "\n".join(lines) + "\n"
    return KernelText(adding_name(x, can_fail), source, (many, many, parts, array, *record))


def adding_name(x: Array | Tape, can_fail: bool) -> str:
    shape = f"{x.ndim}{x.layout}" if isinstance(x, Array) else "tape"
    return f"add_in_order_{x.dtype}_{shape}{'_checked' * can_fail}"
