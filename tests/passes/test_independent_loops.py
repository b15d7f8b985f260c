"""Loops that are marked give the same bits in any order; those that must not be marked."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.ir.check import IRError, check
from srcgrad.ir.clone import clone
from srcgrad.ir.nodes import For
from srcgrad.ir.parse import parse
from srcgrad.ir.text import to_text
from srcgrad.ir.walk import walk
from srcgrad.passes import run
from srcgrad.passes.independent_loops import independent_loops
from srcgrad.passes.pipeline import INDEPENDENT_LOOPS, LOWERING
from srcgrad.primitives import REGISTRY
from tests.cases import Case, sample
from tests.fuzz.chunks import chunked, same_in_every_order
from tests.passes.orders import random_programs_agree
from tests.tools.turns import share


@pytest.fixture
def orders():
    with chunked() as chunks:
        yield chunks


def compiled(fn):
    """Without fastmath no marked loop carries a sum."""
    return flow.compile(fn, target="loops", fastmath=False)


def test_random_programs(orders):
    random_programs_agree(orders, range(30), compiled)


@pytest.mark.parametrize("case", share(sample(60)), ids=lambda c: c.id)
def test_cases(case: Case, orders):
    def call():
        case.reset()
        args = case.arguments()
        grad = flow.value_and_grad(compiled(case.fn), grad_position=case.position)
        return grad(*args), args

    with np.errstate(all="ignore"):
        same_in_every_order(orders, call)


# ---- single loops ----
NOT = {
    "a running sum is stored": "s1: f64 = add(s, v)\nstore(z, i, s1)\ns = s1",
    "what a sum was is stored": "s1: f64 = add(s, v)\nstore(z, i, s)\ns = s1",
    "a running sum is read in a branch": (
        "s1: f64 = add(s, v)\nc: bool = lt(s1, 0.0)\nif c:\n    store(z, i, v)\ns = s1"
    ),
    "what is carried is no sum": "s1: f64 = sub(v, s)\ns = s1",
    "a product is carried": "s1: f64 = mul(s, v)\ns = s1",
    "what is carried is replaced": "s = v",
    "what a branch carries is read in it": (
        "c: bool = lt(v, 0.0)\ns1: f64\nif c:\n    s2: f64 = add(s, v)\n    store(z, i, s2)\n"
        "    s1 = s2\nelse:\n    s1 = s\ns = s1"
    ),
    "a branch forgets what is carried": (
        "c: bool = lt(v, 0.0)\ns1: f64\nif c:\n    s2: f64 = add(s, v)\n    s1 = s2\n"
        "else:\n    s1 = v\ns = s1"
    ),
    "rows that overlap": (
        "l: int = mul(i, 2)\nfor j in range(0, 3):\n    m: int = add(l, j)\n"
        "    store(z, m, v)\ns = s"
    ),
    "rows of a length that may be 0": "l: int = mul(i, k)\nstore(z, l, v)\ns = s",
    "rows longer than their distance": (
        "l: int = mul(i, n)\nfor j in range(0, k):\n    m: int = add(l, j)\n"
        "    store(z, m, v)\ns = s"
    ),
    "the first row is read by all": (
        "w: f64 = load(q, 0, i)\nl: int = sub(n, 1)\nstore(q, i, l, w)\ns = s"
    ),
    "one element for all": "store(z, k, v)\ns = s",
    "one element is added to": "add_at(z, k, v)\ns = s",
    "a neighbour is read": "j: int = add(i, 1)\nw: f64 = load(z, j)\nstore(z, i, w)\ns = s",
    "a neighbour is added to": ("j: int = add(i, 1)\nadd_at(z, j, v)\nadd_at(z, i, v)\ns = s"),
    "steps that meet": (
        "j: int = mul(i, 2)\nl: int = add(j, 4)\nstore(z, l, v)\nstore(z, j, v)\ns = s"
    ),
    "different steps": "j: int = mul(i, 2)\nstore(z, j, v)\nstore(z, i, v)\ns = s",
    "a place by data": "j: int = cast(v, dtype='i64')\nstore(z, j, v)\ns = s",
    "a square of the index": "j: int = mul(i, i)\nstore(z, j, v)\ns = s",
    "a quotient of the index": "j: int = floordiv(i, 2)\nstore(z, j, v)\ns = s",
    "a place of another loop": "for j in range(0, n):\n    store(z, j, v)\ns = s",
    "a sum with another loop": (
        "for j in range(0, n):\n    l: int = add(i, j)\n    store(z, l, v)\ns = s"
    ),
    "a check": "j: int = index(i, n, axis=0)\nstore(z, j, v)\ns = s",
    "a print": "show(v)\nstore(z, i, v)\ns = s",
    "another name of what is stored to": ("u: f64 = load(other, i)\nstore(z, i, u)\ns = s"),
    "a tape that grows": "l: int = add(i, 1)\nreserve(tp, l)\nstore(tp, i, v)\ns = s",
}
YES = {
    "an element each": "store(z, i, v)",
    "read and stored": "w: f64 = load(z, i)\nt: f64 = mul(w, v)\nstore(z, i, t)",
    "added to": "add_at(z, i, v)",
    "moved by a constant": "j: int = add(i, 3)\nstore(z, j, v)\nw: f64 = load(z, j)",
    "moved by a number of the program": "j: int = sub(i, k)\nstore(z, j, v)",
    "backwards": "j: int = sub(k, i)\nstore(z, j, v)",
    "even and odd": ("j: int = mul(i, 2)\nl: int = add(j, 1)\nstore(z, j, v)\nstore(z, l, v)"),
    "a row": "for j in range(0, n):\n    w: f64 = load(q, i, j)\n    store(q, i, j, w)",
    "in a branch": "c: bool = lt(v, 0.0)\nif c:\n    store(z, i, v)",
    "nothing is stored": "w: f64 = sin(v)",
    "a buffer of the trip": (
        "t: f64[2] = zeros(2, dtype='f64')\nstore(t, 0, v)\nw: f64 = load(t, 0)\nstore(z, i, w)"
    ),
    "rows of a flat array": (
        "l: int = mul(i, n)\nfor j in range(0, n):\n    m: int = add(l, j)\n    store(z, m, v)"
    ),
    "rows of three": (
        "l: int = mul(i, 3)\nfor j in range(0, 3):\n    m: int = add(l, j)\n    store(z, m, v)"
    ),
    "a row through a view": (
        "r: f64[n] = view(q, i, spec=('i', ':'))\nfor j in range(0, n):\n    store(r, j, v)"
    ),
    "a column through a transpose": (
        "u: f64.strided[n, n] = transpose(q, perm=(1, 0))\nfor j in range(0, n):\n"
        "    store(u, j, i, v)"
    ),
    "every second element through a view": (
        "r: f64.strided[n] = view(z, 0, n, 2, spec=('s',))\nstore(r, i, v)"
    ),
    "a product of its own row": (
        "r: f64[n] = view(q, i, spec=('i', ':'))\nw: f64 = vecdot(r, x)\nstore(q, i, 0, w)"
    ),
}


def first_loop(body, carried):
    lines = ["def f(x: f64[n], z: f64[n], q: f64[n, n], k: int):", "    n: int = dim(x, axis=0)"]
    if "other" in body:
        lines.append("    other: f64.strided[n] = view(z, 0, n, -1, spec=('s',))")
    if "tp" in body:
        lines.append("    tp: tape[f64] = tape(n, dtype='f64')")
    lines += ["    s: f64 = f64(0.0)"] if carried else []
    lines += ["    for i in range(0, n):", "        v: f64 = load(x, i)"]
    lines += ["        " + line for line in body.splitlines()]
    lines += ["    return (s,)" if carried else "    return ()"]
    f = parse("\n".join(lines) + "\n", REGISTRY)
    check(f)
    new = independent_loops(f)
    check(new)
    return next(s for s in new.body if isinstance(s, For)), new


@pytest.mark.parametrize("name", NOT)
def test_not_independent(name):
    carried = NOT[name].endswith(("s = s1", "s = v")) and not NOT[name].endswith("\ns = s")
    body = NOT[name] if carried else NOT[name].removesuffix("\ns = s")
    assert not first_loop(body, carried)[0].independent


@pytest.mark.parametrize("name", YES)
def test_independent(name):
    loop, new = first_loop(YES[name], False)
    assert loop.independent
    again = parse(to_text(new), REGISTRY)
    assert to_text(again) == to_text(new) and "independent(range(0, n))" in to_text(again)


SUMS = {
    "by a branch": (
        "c: bool = lt(v, 0.0)\ns1: f64\nif c:\n    s2: f64 = add(s, v)\n    s1 = s2\n"
        "else:\n    s1 = s\ns = s1"
    ),
    "by a loop": (
        "s1: f64 = s\nfor j in range(0, n):\n    w: f64 = load(q, i, j)\n    s2: f64 = add(s1, w)\n"
        "    s1 = s2\ns = s1"
    ),
    "twice": "s1: f64 = add(s, v)\ns2: f64 = add(v, s1)\ns = s2",
}


@pytest.mark.parametrize("name", SUMS)
def test_a_sum_may_be_made(name):
    assert first_loop(SUMS[name], True)[0].independent


SUM = "s1: f64 = add(s, v)\nstore(z, i, v)\ns = s1"


def test_a_sum_is_carried_if_its_order_does_not_matter():
    loop, new = first_loop(SUM, True)
    assert loop.independent
    kept = independent_loops(clone(new), in_order=True)
    assert not any(s.independent for s in walk(kept.body) if isinstance(s, For))


def test_a_copy_marks_no_loop():
    _, new = first_loop(SUM, True)
    assert "independent" not in to_text(clone(new)) and "independent" not in to_text(run(new))
    assert "independent" in to_text(run(new, (INDEPENDENT_LOOPS,)))


@pytest.mark.parametrize("step", {p.name: p for p in LOWERING}.values(), ids=lambda p: p.name)
def test_no_pass_runs_on_marked_loops(step):
    _, new = first_loop(SUM, True)
    with pytest.raises(AssertionError, match=f"{step.name} after independent_loops"):
        run(new, (INDEPENDENT_LOOPS, step))


def test_the_checker_refuses_what_is_no_sum():
    _, new = first_loop(SUM, True)
    text = to_text(new).replace("store(z, i, v)", "store(z, i, s)")
    with pytest.raises(IRError, match="an independent loop carries s, which is no sum"):
        check(parse(text, REGISTRY))
