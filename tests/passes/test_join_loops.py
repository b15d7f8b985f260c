"""Loops that are joined and loops that must stay apart; the same bits with and without the pass."""

from functools import partial

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.ir.nodes import Def, For
from srcgrad.ir.walk import walk
from srcgrad.passes import without
from srcgrad.passes.join_loops import join_loops
from srcgrad.primitives import memory
from tests.cases import Case, sample
from tests.fuzz.chunks import bits
from tests.fuzz.joined import joined, loops
from tests.passes.pass_programs import after, agree, program, text
from tests.tools.turns import share

MATRICES = "x: f64[n, k], y: f64[m, k], t: f64[n], u: f64[n], z: f64[n, k], k: int"
VECTORS = "x: f64[n], y: f64[m], t: f64[n], u: f64[n], k: int"
IN_ORDER = partial(join_loops, in_order=True)


def calls(rank):
    """Arguments with some trips, with one, and with none."""
    r = np.random.default_rng(1)
    for n, m in ((4, 4), (1, 1), (0, 0)):
        x, y = (r.normal(size=(length, 3)[:rank]) for length in (n, m))
        t, u = r.normal(size=n), r.normal(size=n)
        yield (x, y, t, u, r.normal(size=(n, 3)), 3) if rank == 2 else (x, y, t, u, 2)


def vectors(body, returns=""):
    return program(VECTORS, body, returns)


def outermost(f):
    return sum(isinstance(s, For) for s in f.body)


def each(body, over="n", index="i"):
    lines = "\n".join("    " + line for line in body.splitlines())
    return f"for {index} in range(0, {over}):\n{lines}\n"


SQUARED = each("v: f64 = load(x, i)\nq: f64 = mul(v, v)\nstore(t, i, q)")
DOUBLED = each("w: f64 = load(t, j)\np: f64 = add(w, w)\nstore(u, j, p)", index="j")

JOINED = {
    "a buffer between them": SQUARED + DOUBLED,
    "nothing between them": SQUARED + each("store(u, j, 1.0)", index="j"),
    "what is read is overwritten": each("v: f64 = load(t, i)\nstore(u, i, v)")
    + each("store(t, j, 2.0)", index="j"),
    "two stores to one element": SQUARED + each("store(t, j, 3.0)", index="j"),
    "a definition between them": SQUARED + "c: int = mul(k, 2)\n" + DOUBLED,
    "memory made between them": SQUARED
    + "a: f64[n] = zeros(n, dtype='f64')\n"
    + each("w: f64 = load(t, j)\nadd_at(a, j, w)", index="j"),
    "a loop between them that needs the first": SQUARED
    + each("w: f64 = load(t, h)\nadd_at(y, h, w)", "2", "h")
    + each("store(u, j, 1.0)", index="j"),
    "a check between them": "a: f64[n] = zeros(n, dtype='f64')\n"
    + each("v: f64 = load(x, i)\nstore(a, i, v)")
    + "check_equal(k, 2, message='{} is not {}')\n"
    + each("w: f64 = load(a, j)\nstore(u, j, w)", index="j"),
    "through views": "a: f64.strided[n] = view(t, 0, n, 1, spec=('s',))\n"
    + each("v: f64 = load(x, i)\nstore(a, i, v)")
    + DOUBLED,
    "a length that is not below 0": SQUARED
    + "c: int = maximum(n, 0)\n"
    + each("store(u, j, 1.0)", "c", "j"),
    "the first may raise": each(
        "v: f64 = load(x, i)\nc: i64 = cast(v, dtype='i64')\nh: int = index(c, k, axis=0)\n"
        "q: f64 = cast(h, dtype='f64')\nstore(t, i, q)"
    )
    + "a: f64[n] = zeros(n, dtype='f64')\n"
    + each("store(a, j, 1.0)", index="j"),
}


@pytest.mark.parametrize("name", JOINED)
def test_joined(name):
    f = vectors(JOINED[name])
    new = agree(join_loops, f, *calls(1))
    assert outermost(new) == outermost(f) - 1


APART = {
    "a check between them, behind what the caller sees": SQUARED
    + "check_equal(k, 2, message='{} is not {}')\n"
    + each("store(u, j, 1.0)", index="j"),
    "the second runs through a buffer backwards": SQUARED
    + each(
        "c: int = sub(n, 1)\nh: int = sub(c, j)\nw: f64 = load(t, h)\nstore(u, j, w)", index="j"
    ),
    "a trip needs the one before it": SQUARED
    + each(
        "h: int = sub(j, 1)\nl: int = maximum(h, 0)\nw: f64 = load(t, l)\nstore(u, j, w)",
        index="j",
    ),
    "all trips need the first": SQUARED + each("w: f64 = load(t, 0)\nstore(u, j, w)", index="j"),
    "what is read by another trip is overwritten": each(
        "c: int = sub(n, 1)\nh: int = sub(c, i)\nv: f64 = load(t, h)\nstore(u, i, v)"
    )
    + each("store(t, j, 2.0)", index="j"),
    "views that overlap": "a: f64.strided[n] = view(t, 0, n, 1, spec=('s',))\n"
    "c: int = sub(n, 1)\nb: f64.strided[n] = view(t, c, n, -1, spec=('s',))\n"
    + each("v: f64 = load(x, i)\nstore(a, i, v)")
    + each("w: f64 = load(b, j)\nstore(u, j, w)", index="j"),
    "other bounds": SQUARED + each("store(u, j, 1.0)", "m", "j"),
    "another start": SQUARED
    + each("store(u, j, 1.0)", index="j").replace("range(0, n)", "range(1, n)"),
    "a sum that the second needs": "s: f64 = f64(0.0)\n"
    + each("v: f64 = load(x, i)\ns1: f64 = add(s, v)\ns = s1")
    + each("store(u, j, s)", index="j"),
    "what the second needs is made of the sum": "s: f64 = f64(0.0)\n"
    + each("v: f64 = load(x, i)\ns1: f64 = add(s, v)\ns = s1")
    + "c: f64 = mul(s, 2.0)\n"
    + each("store(u, j, c)", index="j"),
    "a running sum": "s: f64 = f64(0.0)\n"
    + each("v: f64 = load(x, i)\ns1: f64 = add(s, v)\nstore(t, i, s1)\ns = s1")
    + DOUBLED,
    "an element that stands between them": SQUARED + "store(t, 0, 7.0)\n" + DOUBLED,
    "a check of the first between them": SQUARED
    + "d: f64 = load(t, 0)\nc: i64 = cast(d, dtype='i64')\nh: int = index(c, 1, axis=0)\n"
    + DOUBLED,
    "both may raise": each(
        "v: f64 = load(x, i)\nc: i64 = cast(v, dtype='i64')\nh: int = index(c, k, axis=0)"
    )
    + each(
        "w: f64 = load(t, j)\nl: i64 = cast(w, dtype='i64')\no: int = index(l, k, axis=1)",
        index="j",
    ),
    "the first may raise, and the second stores": each(
        "v: f64 = load(x, i)\nc: i64 = cast(v, dtype='i64')\nh: int = index(c, k, axis=0)"
    )
    + each("store(u, j, 1.0)", index="j"),
    "a place that another trip has checked": each(
        "v: f64 = load(x, i)\nc: i64 = cast(v, dtype='i64')\nh: int = index(c, k, axis=0)"
    )
    + "a: f64[n] = zeros(n, dtype='f64')\n"
    + each(
        "c: int = sub(n, 1)\nl: int = sub(c, j)\nw: f64 = load(x, l)\n"
        "o: i64 = cast(w, dtype='i64')\np: f64 = load(y, o)\nstore(a, j, p)",
        index="j",
    ),
    "a promise is no proof": each(
        "v: f64 = load(x, i)\nc: i64 = cast(v, dtype='i64')\nstore(t, c, v)"
    ).replace("range(0, n)", "promised(range(0, n))")
    + each(
        "w: f64 = load(x, j)\nl: i64 = cast(w, dtype='i64')\np: f64 = load(t, l)\nstore(u, j, p)",
        index="j",
    ).replace("range(0, n)", "promised(range(0, n))"),
    "a sum backwards": "s: f64 = f64(0.0)\n"
    + each("v: f64 = load(x, i)\ns1: f64 = add(s, v)\ns = s1")
    + "r: f64 = f64(0.0)\n"
    + each("w: f64 = load(t, j)\nr1: f64 = add(r, w)\nr = r1", index="j").replace(
        "range(0, n)", "reversed(range(0, n))"
    ),
    "calls of a library": SQUARED
    + each("w: f64[n] = sin(x)\np: f64 = load(w, 0)\nstore(u, j, p)", index="j"),
}


@pytest.mark.parametrize("run", [join_loops, IN_ORDER], ids=["any order", "in order"])
@pytest.mark.parametrize("name", APART)
def test_apart(name, run):
    f = vectors(APART[name])
    new = agree(run, f, *(c for c in calls(1) if len(c[0])))
    assert outermost(new) == outermost(f)


def test_what_two_loops_carry_one_carries():
    f = vectors(
        "s: f64 = f64(0.0)\n" + each("v: f64 = load(x, i)\ns1: f64 = add(s, v)\ns = s1")
        + "r: f64 = f64(2.0)\n"
        + each("w: f64 = load(t, j)\nr1: f64 = mul(r, w)\nr = r1", index="j"),
        "s, r,",
    )  # fmt: skip
    assert outermost(agree(join_loops, f, *calls(1))) == 1
    assert outermost(agree(IN_ORDER, f, *calls(1))) == 1


def test_in_order_a_launch_stays_one():
    """A sum keeps the order of its trips, so its loop is none that is launched."""
    total = each("w: f64 = load(t, j)\ns1: f64 = add(s, w)\ns = s1", index="j")
    f = vectors(SQUARED + "s: f64 = f64(0.0)\n" + total, "s,")
    assert outermost(agree(join_loops, f, *calls(1))) == 1
    assert outermost(agree(IN_ORDER, f, *calls(1))) == 2


def test_in_order_additions_to_one_element_keep_their_order():
    adds = each("v: f64 = load(x, i)\nadd_at(y, 0, v)") + each(
        "w: f64 = load(t, j)\nadd_at(y, 0, w)", index="j"
    )
    args = [c for c in calls(1) if len(c[0])]
    assert outermost(after(join_loops, vectors(adds))) == 1
    assert outermost(agree(IN_ORDER, vectors(adds), *args)) == 2


def test_loops_that_run_up_and_down():
    down = DOUBLED.replace("range(0, n)", "reversed(range(0, n))")
    new = agree(join_loops, vectors(SQUARED + down), *calls(1))
    assert outermost(new) == 1 and "reversed" not in text(new)


# ---- several axes ----
def rows(first, second, returns=""):
    return program(MATRICES, first + second, returns)


def nest(body, over="k", outer="i", inner="j"):
    return each(each(body, over, inner).rstrip("\n"), index=outer)


MAP = nest("v: f64 = load(x, i, j)\nq: f64 = mul(v, v)\nstore(z, i, j, q)")
OTHER = nest("w: f64 = load(z, a, b)\np: f64 = add(w, w)\nstore(y, a, b, p)", outer="a", inner="b")
SUMS = each(
    "s: f64 = f64(0.0)\nfor h in range(0, k):\n    c: f64 = load(z, l, h)\n"
    "    s1: f64 = add(s, c)\n    s = s1\nstore(t, l, s)",
    index="l",
)


def test_maps_of_a_grid_are_joined_on_both_axes():
    new = agree(join_loops, rows(MAP, OTHER), *calls(2))
    assert outermost(new) == 1 and loops(new) == 2


def test_a_sum_of_rows_joins_what_it_sums():
    new = agree(join_loops, rows(MAP, SUMS), *calls(2))
    assert outermost(new) == 1 and loops(new) == 2


def test_a_map_stays_one_unless_a_buffer_flows():
    apart = MAP + each("w: f64 = load(u, a)\nstore(t, a, w)", index="a")
    assert outermost(agree(join_loops, rows(apart, ""), *calls(2))) == 2
    flows = each("w: f64 = load(u, a)\nstore(t, a, w)", index="a") + nest(
        "r: f64 = load(t, i)\nstore(z, i, j, r)"
    )
    assert outermost(agree(join_loops, rows(flows, ""), *calls(2))) == 1


def test_a_map_is_no_part_of_trips_that_run_one_after_the_other():
    """Threads could not share the steps of such a trip: one would have to make a whole row."""
    walk = each(
        "s: f64 = f64(1.0)\nfor h in range(0, k):\n    c: f64 = load(z, l, h)\n"
        "    s1: f64 = mul(s, c)\n    s2: f64 = sin(s1)\n    s = s2\nstore(t, l, s)",
        index="l",
    )
    assert outermost(agree(join_loops, rows(MAP, walk), *calls(2))) == 2


# ---- whole programs ----
def cross_entropy(w, b, x, labels):
    z = x @ w + b
    z = z - np.max(z, axis=1, keepdims=True)
    p = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
    return -np.mean(p[np.arange(x.shape[0]), labels])


def layernorm(x, g, b):
    mean = np.mean(x, axis=1, keepdims=True)
    var = np.mean((x - mean) ** 2, axis=1, keepdims=True)
    return np.sum(((x - mean) / np.sqrt(var + 1e-5) * g + b) ** 2)


def attention(q, k, v):
    s = q @ k.T / np.sqrt(q.shape[1])
    e = np.exp(s - np.max(s, axis=1, keepdims=True))
    return np.sum((e / np.sum(e, axis=1, keepdims=True) @ v) ** 2)


R = np.random.default_rng(3)
PROGRAMS = {
    cross_entropy: (
        (0, 1),
        (R.normal(size=(5, 4)), R.normal(size=4), R.normal(size=(7, 5)), R.integers(0, 4, 7)),
    ),
    layernorm: ((0, 1, 2), (R.normal(size=(7, 5)), R.normal(size=5), R.normal(size=5))),
    attention: ((0, 1, 2), tuple(R.normal(size=(6, 4)) for _ in range(3))),
}  # fmt: skip
# outermost loops without the pass and with it; in the order of the program
COUNTS = {
    cross_entropy: ((11, 1), (11, 6)), layernorm: ((9, 1), (9, 4)), attention: ((10, 4), (10, 7)),
}  # fmt: skip


def outermost_of(fn, positions, args, strict):
    """The outermost loops of a gradient, and the bits that it gives."""
    fastmath = False if strict else None
    with joined() as counts:
        grad = flow.value_and_grad(flow.compile(fn, target="loops", fastmath=fastmath), positions)
        return grad(*args), counts.outermost


@pytest.mark.parametrize("strict", [False, True], ids=["any order", "in order"])
@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(fn, strict):
    with without("join_loops"):
        apart, many = outermost_of(fn, *PROGRAMS[fn], strict)
    one, few = outermost_of(fn, *PROGRAMS[fn], strict)
    assert (many, few) == COUNTS[fn][strict]
    assert bits(one) == bits(apart)


def test_rows_that_are_handed_on_are_scalars():
    """The maximum and the sum of a row are no arrays, nor are the places of its label."""
    positions, args = PROGRAMS[cross_entropy]
    with joined() as counts:
        flow.value_and_grad(flow.compile(cross_entropy, target="loops"), positions)(*args)
    made = [s for s in walk(counts.made[-1].body) if isinstance(s, Def) and s.op is memory.empty]
    assert made and all(len(s.var.type.dims) == 2 for s in made)


@pytest.mark.parametrize("case", share(sample(40)), ids=lambda c: c.id)
def test_cases(case: Case):
    def run():
        case.reset()
        with joined() as counts, np.errstate(all="ignore"):
            args = case.arguments()
            fn = flow.compile(case.fn, target="loops", fastmath=False)
            grad = flow.value_and_grad(fn, grad_position=case.position)
            return bits((grad(*args), args)), counts.outermost

    with without("join_loops"):
        apart, many = run()
    together, few = run()
    assert together == apart and few <= many
