"""Arrays of constant shape that become numbers, and those that have to stay in memory."""

import itertools
import sys

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.passes.simplify import simplify
from srcgrad.passes.small import small_arrays
from tests.passes.pass_programs import agree, count, program, text, vec

MEMORY = ("pack", "zeros", "empty", "store", "view", "copy", "add_at", "assign", "add_to")
Q = "p: f64[2] = pack(a, b)"


def gone(params, body, returns, *calls):
    """The text of a program in which no array is left, having given what it gave before."""
    new = agree(small_arrays, program(params, body, returns), *calls)
    assert not count(new, *MEMORY), text(new)
    return text(new)


def stays(params, body, returns, *calls):
    """No array became numbers."""
    f = program(params, body, returns)
    new = agree(small_arrays, f, *calls)
    assert [count(new, op) for op in MEMORY] == [count(f, op) for op in MEMORY], text(new)


@pytest.mark.parametrize(
    "body",
    [
        "m: f64[2, 2] = matmul(v, v)\ny: f64[2] = matvec(m, q)\nr: f64 = load(y, 1)",
        "m: f64[2, 2] = mul(v, 3.0)\ns: f64[2] = sum(m, axes=(0,))\nr: f64 = load(s, 0)",
        "c: f64[4] = concatenate(q, q, axis=0)\nw: f64[2, 2] = reshape(c, 2, 2)\n"
        "r: f64 = load(w, 1, 0)",
        "t: f64.strided[2, 2] = transpose(v, perm=(1, 0))\nw: f64[2, 2] = sub(t, v)\n"
        "r: f64 = load(w, 1, 0)",
        "t: f64.strided[1] = view(q, 1, 1, -1, spec=('s',))\ns: f64[1] = neg(t)\n"
        "r: f64 = load(s, 0)",
        "w: f64[2, 2] = broadcast_to(q, 2, 2)\ns: f64[2] = sum_to(w, 2)\nr: f64 = load(s, 1)",
        "z: f64[()] = view(q, 1, spec=('i',))\nr: f64 = load(z)",
        "l: f64[1, 2] = view(q, spec=('n', ':'))\nassign(p, l)\nr: f64 = load(p, 1)",
        "l: f64[1] = pack(a)\nz: f64[()] = zeros(dtype='f64')\nassign(z, l)\nr: f64 = load(z)",
        "z: f64[()] = zeros(dtype='f64')\nstore(z, a)\nr: f64 = load(z)",
        "add_to(q, q)\nassign(p, q)\nadd_at(p, 0, a)\nr: f64 = vecdot(p, q)",
        "c: bool[2] = lt(q, 1.0)\nw: f64[2] = where(c, q, 7.0)\nr: f64 = load(w, 1)",
        "i: i64[2] = iota(2)\nk: i64[2] = add(i, i64(3))\nw: f64[2] = cast(k, dtype='f64')\n"
        "s: f64[2] = mul(q, w)\nr: f64 = load(s, 1)",
    ],
)  # fmt: skip
def test_operations(body):
    head = (
        f"{Q}\nq: f64[2] = mul(p, 2.0)\nt0: f64[4] = pack(a, b, b, a)\n"
        "v: f64[2, 2] = reshape(t0, 2, 2)\n"
    )
    gone("a: f64, b: f64", head + body, "r,", (0.25, 3.0), (-1.0, 0.0))


def test_names_of_one_array_are_views_of_the_same_elements():
    body = (
        f"{Q}\nv: f64.strided[1] = view(p, 1, 1, 1, spec=('s',))\nstore(v, 0, a)\n"
        "r: f64 = load(p, 1)"
    )
    assert gone("a: f64, b: f64", body, "r,", (2.0, 3.0)) == "return (a,)"


def test_single_precision_is_added_in_double():
    body = "p: f32[3] = pack(a, b, a)\nr: f32 = sum(p, axes=(0,))"
    assert "t2: f64 = add(t, t1)" in gone("a: f32, b: f32", body, "r,")


def test_a_number_of_python_becomes_one_of_the_array():
    body = (
        "p: f32[2] = zeros(2, dtype='f32')\nt: f32 = cast(a, dtype='f32')\n"
        "store(p, 0, t)\nr: f32 = load(p, 0)"
    )
    gone("a: float", body, "r,", (0.1,))


# ---- loops and branches ----
LOOP = f"""{Q}
s: f64 = f64(0.0)
for i in range(0, k):
    t: f64 = load(p, 0)
    u: f64 = load(p, 1)
    store(p, 0, u)
    add_at(p, 1, t)
    s1: f64 = add(s, t)
    s = s1
r: f64 = load(p, 1)
"""


def test_what_a_loop_stores_to_is_carried():
    assert gone("a: f64, b: f64, k: int", LOOP, "r, s", (1.0, 2.0, 5), (1.0, 2.0, 0)).count("p") > 4


def doubled_while(*lines):
    """The first element is doubled while it is below ten; `lines` double and test it."""
    trip = ["t: f64 = load(p, 0)", *lines, "k1: int = add(k, 1)", "k = k1"]
    return "\n".join([Q, "k: int = 0", "while True:", *[f"    {s}" for s in trip], READ])


READ = "r: f64 = load(p, 0)"
DOUBLED = "u: f64 = mul(t, 2.0)", "store(p, 0, u)"


def test_a_while_carries_them_too():
    body = doubled_while("c: bool = lt(t, 10.0)", "if not c: break", *DOUBLED)
    gone("a: f64, b: f64", body, "r, k", (1.0, 2.0), (11.0, 0.0))


def test_a_while_whose_test_stores():
    body = doubled_while(*DOUBLED, "c: bool = lt(u, 10.0)", "if not c: break")
    stays("a: f64, b: f64", body, "r, k", (1.0, 2.0))


def test_branches_join_elements():
    body = f"""{Q}
c: bool = lt(a, b)
if c:
    store(p, 0, b)
else:
    store(p, 1, a)
r: f64 = load(p, 0)
s: f64 = load(p, 1)"""
    gone("a: f64, b: f64", body, "r, s", (1.0, 2.0), (2.0, 1.0))


JOINED = f"""{Q}
store(p, 0, b)
q: f64[2] = p
for i in range(0, k):
    q1: f64[2] = mul(q, 2.0)
    BODY
    q = q1
AFTER
r: f64 = load(q, 0)
s: f64 = load(p, 0)"""


def joined(body="", after=""):
    lines = JOINED.replace("AFTER\n", after and after + "\n").splitlines()
    return "\n".join(line.replace("BODY", body) for line in lines if body or "BODY" not in line)


def test_a_loop_carries_the_elements_of_what_nothing_is_stored_to_later():
    gone("a: f64, b: f64, k: int", joined(), "r, s", (1.0, 2.0, 3), (1.0, 2.0, 0))


@pytest.mark.parametrize("where", [dict(body="store(q, 0, a)"), dict(after="store(p, 0, a)")])
def test_a_reference_that_is_stored_to_later_is_not_its_elements(where):
    """Without trips `q` is `p`, and the store is seen through both."""
    calls = [(1.0, 2.0, k) for k in (0, 1, 3)]
    stays("a: f64, b: f64, k: int", joined(**where), "r, s", *calls)


def test_a_store_in_the_next_trip_of_a_loop_around():
    body = f"""{Q}
s: f64 = f64(0.0)
for i in range(0, k):
    store(p, 0, s)
    q: f64[2] = p
    for j in range(0, i):
        q1: f64[2] = mul(q, 2.0)
        q = q1
    t: f64 = load(q, 0)
    s1: f64 = add(s, t)
    s2: f64 = add(s1, a)
    s = s2"""
    stays("a: f64, b: f64, k: int", body, "s,", (1.0, 2.0, 4))


# ---- loops over places ----
def test_short_loops_over_places_are_unrolled():
    body = """p: f64[3] = zeros(3, dtype='f64')
for i in range(0, 3):
    t: f64 = load(x, i)
    store(p, i, t)
r: f64 = vecdot(p, p)"""
    assert "for" not in gone("x: f64[n]", body, "r,", (vec(1, 2, 3),))


@pytest.mark.parametrize("stop, index", [("9", "i"), ("k", "i"), ("3", "k")])
def test_places_that_are_not_constant(stop, index):
    body = (
        f"p: f64[9] = zeros(9, dtype='f64')\nfor i in range(0, {stop}):\n"
        f"    add_at(p, {index}, a)\nr: f64 = load(p, 2)"
    )
    stays("a: f64, k: int", body, "r,", (1.5, 4))


# ---- what stays ----
def test_rows_of_memory_are_loaded():
    """The length of `x` is 2: that check passed, and no length of a parameter is 1."""
    body = f"{Q}\ncheck_broadcast(2, n, split=1)\nq: f64[2] = sub(p, x)\nr: f64 = vecdot(q, q)"
    assert "load(x, 1)" in gone("x: f64[n], a: f64, b: f64", body, "r,", (vec(5, 6), 1.0, 2.0))


def test_a_length_that_may_be_one_is_not_guessed():
    body = (
        f"{Q}\ncheck_broadcast(2, k, split=1)\ny: f64[k] = zeros(k, dtype='f64')\n"
        "q: f64[2] = sub(p, y)\nr: f64 = vecdot(q, q)"
    )
    stays("k: int, a: f64, b: f64", body, "r,", (1, 1.0, 2.0), (2, 1.0, 2.0))


def test_elements_are_stored_to_memory():
    body = (
        f"{Q}\nv: f64[2] = view(x, 1, spec=('i', ':'))\nassign(v, p)\nadd_to(v, p)\n"
        "r: f64 = load(p, 0)"
    )
    new = agree(small_arrays, program("x: f64[3, 2], a: f64, b: f64", body, "r,"))
    assert (count(new, "pack"), count(new, "store"), count(new, "add_at")) == (0, 2, 2)


@pytest.mark.parametrize(
    "body, returns",
    [
        (f"{Q}", "p,"),
        (f"{Q}\nq: f64[2] = mul(p, 2.0)", "q,"),
        ("p: f64[20] = zeros(20, dtype='f64')\nstore(p, 3, a)\nr: f64 = load(p, 3)", "r,"),
        (f"{Q}\nm: f64 = max(p, axes=(0,))", "m,"),
        (f"{Q}\nq: f64[2] = cumsum(p, axis=0)\nr: f64 = load(q, 1)", "r,"),
    ],
    ids=["returned", "made of it", "large", "an extremum", "a library's operation"],
)
def test_stays_in_memory(body, returns):
    stays("a: f64, b: f64", body, returns, (2.0, 3.0))


def test_a_place_outside_fails_as_before():
    body = f"{Q}\nt: int = index(2, 2, axis=0)\nr: f64 = load(p, t)"
    stays("a: f64, b: f64", body, "r,", (2.0, 3.0))


def test_what_does_not_fit_fails_as_before():
    m = "p: f64[3] = pack(a, a, a)\nq: f64[2] = pack(a, a)"
    body = f"{m}\ncheck_assign(2, 3, split=1)\nassign(q, p)\nr: f64 = load(q, 0)"
    stays("a: f64", body, "r,", (2.0,))


def test_a_view_outside_fails_as_before():
    """Behind a check that always fails; a branch may hold it that never runs."""
    m = "m: f64[2, 2] = zeros(2, 2, dtype='f64')"
    c = "c: bool = lt(a, 0.0)\nif c:\n    t: int = index(2, 2, axis=0)"
    body = f"{m}\n{c}\n    v: f64[2] = view(m, 2, spec=('i', ':'))\n    store(v, 0, a)"
    stays("a: f64", f"{body}\nr: f64 = load(m, 0, 0)", "r,", (2.0,), (-2.0,))


@pytest.mark.parametrize(
    "body",
    [
        "p: f64[2, 0] = zeros(2, 0, dtype='f64')\nq: f64[2] = sum(p, axes=(1,))",
        "p: f64[2, 0] = zeros(2, 0, dtype='f64')\nt: f64[0, 2] = zeros(0, 2, dtype='f64')\n"
        "m: f64[2, 2] = matmul(p, t)\nq: f64.strided[2] = view(m, 0, spec=('i', ':'))",
        "p: f64[0] = zeros(0, dtype='f64')\nq: f64[2] = broadcast_to(1.0, 2)\n"
        "s: f64 = vecdot(p, p)\nstore(q, 1, s)",
    ],
)
def test_arrays_without_elements(body):
    returns = f"{body}\nr: f64 = load(q, 1)\nr1: f64 = mul(r, a)"
    agree(small_arrays, program("a: f64", returns, "r1,"), (2.0,))


def test_memory_that_nobody_wrote_shows():
    body = "p: f64[2] = empty(2, dtype='f64')\nr: f64 = load(p, 0)"
    assert gone("a: f64", body, "r,") == "return (f64(nan),)"


# ---- arguments and results ----
CARRIED = """
v: f64[2] = x
for i in range(0, k):
    w: f64[2] = mul(v, 2.0)
    v = w
r: f64[2] = neg(v)
"""
X = vec(1.0, 3.0)


def test_what_a_loop_carries_of_an_argument_to_a_result_becomes_numbers():
    new = agree(small_arrays, program("x: f64[2], k: int", CARRIED, "r,"), (X, 3), (X, 0))
    assert not count(new, "copy"), text(new)
    assert "f64[2] = mul" not in text(new)
    assert text(new).count("load") == 2


LOOP_OF = "\n".join(CARRIED.splitlines()[:-1])


@pytest.mark.parametrize(
    ("params", "body", "returns"),
    [
        ("x: f64[2], k: int", LOOP_OF, "v,"),  # without a trip it is the argument
        ("x: f64.strided[2], k: int", LOOP_OF.replace("v: f64[2]", "v: f64.strided[2]"), "v,"),
        ("x: f64[2], k: int", f"store(x, 0, 5.0){LOOP_OF}\nr: f64 = load(v, 0)", "r,"),
        ("x: f64[2], k: int", "r: f64[2] = neg(x)\nu: f64[2] = view(r, spec=(':',))", "r, u"),
    ],
)
def test_arrays_that_the_caller_could_tell_apart_stay(params, body, returns):
    f = program(params, body, returns)
    assert text(agree(small_arrays, f, (X, 3), (X, 0))) == text(f)


@pytest.mark.parametrize(
    "lines",
    [
        ["p: f64[2] = pack(a, a)", "t: f64[2] = add(p, q)"],
        ["m: f64[2, 2] = reshape(q, 2, 2)", "t: f64[2] = sum(m, axes=(0,))"],
        ["t: f64[2] = broadcast_to(q, 2)"],
        ["p: f64[2] = pack(a, a)", "s: f64 = vecdot(p, q)", "t: f64[1] = pack(s)"],
    ],
)
def test_shapes_that_do_not_fit_stay_in_memory(lines):
    """Behind a check that fails: the lengths are constant, and the operation is never reached."""
    trip = [f"    {s}" for s in (*lines, "e: f64 = load(t, 0)", "r = e")]
    head = ["q: f64[3] = pack(a, a, a)", "r: f64 = f64(0.0)", "for i in range(0, k):"]
    f = program("a: f64, k: int", "\n".join([*head, *trip]), "r,")
    new = agree(small_arrays, f, (0.5, 0))
    assert "q: f64[3] = pack(a, a, a)" in text(new)


@pytest.mark.parametrize("target", ["python", "loops", "cpu"])
def test_arrays_that_the_caller_gets_share_no_memory(target):
    """Copies at the edges go where no number is behind them, and others with them."""

    def made_apart(x, y, n):
        a, b, c = x.copy(), y * 2.0, y * 2.0
        t = np.sum(x * b) + np.sum(np.cos(np.zeros((n, 4))) * b * c)
        return t, a, b, c

    x, y = np.arange(4.0), np.arange(2.0, 6.0)
    for n in (3, 0):
        value, *results = flow.compile(made_apart, target=target)(x, y, n)
        want, *expected = made_apart(x, y, n)
        assert value == pytest.approx(want)
        np.testing.assert_allclose(results, expected)
        for one, other in itertools.combinations((x, y, *results), 2):
            assert not np.shares_memory(one, other)


@pytest.mark.parametrize("target", ["python", "loops", "cpu"])
def test_strided_arguments_keep_their_copy(target):
    def taken(x, m):
        a = x.copy()
        places = np.take(a, np.array([3, 0, 2, 1]))
        return np.sum(a * np.arange(4.0)) + np.sum(m * places) + np.sum(m * a.reshape(2, 2)[1, 0])

    x, m = np.arange(1.0, 9.0)[::2], np.ones((3, 4))
    value, (slope, _) = flow.value_and_grad(flow.compile(taken, target=target), (0, 1))(x, m)
    assert value == pytest.approx(taken(x, m))
    want, _ = flow.grad(taken, (0, 1))(x.copy(), m)
    np.testing.assert_allclose(slope, want)


def test_a_program_is_simplified_again_only_where_a_loop_is_unrolled(monkeypatch):
    module, seen = sys.modules["srcgrad.passes.small.small_arrays"], []
    monkeypatch.setattr(module, "simplify", lambda f: seen.append(f) or simplify(f))
    counted = "z: f64[2] = zeros(2, dtype='f64')\nstore(z, 0, a)\nr: f64 = load(z, 0)"
    gone("a: f64", counted, "r,", (0.25,))
    assert not seen
    looped = f"{counted}\nfor i in range(0, 2):\n    store(z, i, a)\ns: f64 = load(z, 1)"
    gone("a: f64", looped, "r, s,", (0.25,))
    assert seen
