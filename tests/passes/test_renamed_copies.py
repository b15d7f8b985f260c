"""Copies from new arrays to old ones become names: where that is right, and where it is not."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.ir.nodes import Loop
from srcgrad.ir.walk import walk
from srcgrad.passes import without
from srcgrad.passes.copies_in_time import CopiesInTime
from srcgrad.passes.own_buffers import carried
from srcgrad.passes.renamed_copies import renamed_copies
from srcgrad.testing import check_grads
from tests.passes.pass_programs import agree, program, vec

X, Y = vec(1, 2, 3, 4, 5), vec(5, 6, 7)
CALLS = [(X, Y), (X, Y[:1]), (X, Y[:0]), (X, Y[:2])]
EQUAL = "u: f64[n] = copy(x)\nv: f64[n] = copy(x)\n"
STEP = """
h: int = sub(n, 1)
for t in range(0, m):
    for i in range(1, h):
        k: int = sub(i, 1)
        a: f64 = load(u, k)
        b: f64 = load(u, i)
        c: f64 = mul(a, 0.5)
        d: f64 = add(b, c)
        store(v, i, d)
{more}    for j in range(1, h):
{within}        e: f64 = load(v, j)
        store(u, j, e)
{after}"""


def left(text, *calls, returns="u,"):
    """How many arrays take turns after the pass, which leaves the results as they were."""
    new = agree(renamed_copies, program("x: f64[n], y: f64[m]", text, returns), *(calls or CALLS))
    return sum(len(carried(s)) for s in walk(new.body) if isinstance(s, Loop))


def step(*after, head=EQUAL, more=(), within=()):
    lines = ["".join(f"    {line}\n" for line in part) for part in (more, after)]
    inner = "".join(f"        {line}\n" for line in within)
    return head + STEP.strip("\n").format(more=lines[0], within=inner, after=lines[1])


def test_equal_borders():
    assert left(step()) == 2


@pytest.mark.parametrize("make", ["zeros(n, dtype='f64')", "sin(x)"])
def test_borders_are_made_equal(make):
    assert left(step(head=f"u: f64[n] = copy(x)\nv: f64[n] = {make}\n")) == 2


def test_a_copy_of_the_array_itself():
    assert left(step(head="u: f64[n] = sin(x)\nv: f64[n] = copy(u)\n")) == 2


def test_borders_that_are_stored_to_before():
    head = EQUAL + "store(u, 0, 7.0)\n"
    assert left(step(head=head)) == 2
    read = ("f: f64 = load(v, 0)", "store(y, t, f)")
    assert left(step(head=head, more=read)) == 0
    assert left(step(head=EQUAL, more=read)) == 2


@pytest.mark.parametrize(
    "after",
    [
        ("store(u, 0, 3.0)",),  # a border
        ("store(u, 2, 3.0)",),
        ("store(v, 2, 3.0)",),
        ("f: f64 = load(v, 2)", "store(y, t, f)"),
        ("add_at(u, 2, 1.0)",),
    ],
)
def test_after_the_copy(after):
    assert left(step(*after)) == 0


def test_reads_of_the_new_names():
    reads = ("f: f64 = load(u, 2)", "g: f64 = load(u, 0)", "z: f64 = mul(f, g)", "store(y, t, z)")
    assert left(step(*reads)) == 2
    views = ("w: f64[n] = view(u, 0, n, 1, spec=('s',))", "f: f64 = load(w, 2)", "store(y, t, f)")
    assert left(step(*views)) == 2
    head = EQUAL + "w: f64[n] = view(u, 0, n, 1, spec=('s',))\n"
    text = step("f: f64 = load(w, 2)", "store(y, t, f)", head=head)
    assert left(text + "r: f64 = load(w, 1)\n", returns="u, r,") == 2


def test_between_the_step_and_the_copy():
    read = ("f: f64 = load(v, 2)", "g: f64 = load(u, 2)", "z: f64 = mul(f, g)", "store(y, t, z)")
    assert left(step(more=read)) == 2
    assert left(step(more=("store(u, 2, 1.0)",))) == 0
    assert left(step(more=("store(v, 0, 1.0)",))) == 0
    again = ("for l in range(1, h):", "    store(v, l, 1.0)")
    assert left(step(more=again)) == 2


def test_in_the_loop_of_the_copy():
    assert left(step(within=("f: f64 = load(u, j)", "add_at(y, 0, f)")), *CALLS[:2]) == 0
    assert left(step(within=("k: int = sub(j, 1)", "store(v, k, 0.0)"))) == 0


def test_what_the_loop_leaves_in_the_new_array():
    assert left(step(), returns="u, v,") == 0
    assert left(step() + "f: f64 = load(v, 1)\n", returns="u, f,") == 0
    assert left(step() + "store(u, 1, 9.0)\n") == 2


def test_more_than_the_step_stores():
    """Elements that the step leaves alone are old ones if the buffers differ."""
    wide = step().replace("range(1, h):\n        e", "range(0, n):\n        e")
    assert left(wide) == 2
    assert left(wide.replace("v: f64[n] = copy(x)", "v: f64[n] = sin(x)")) == 0


def test_less_than_the_step_stores():
    narrow = step().replace("range(1, h):\n        e", "range(2, h):\n        e")
    assert left(narrow) == 0


def test_a_step_under_a_condition():
    for store in ("store(v, i, d)", "store(u, j, e)"):
        branch = f"o: bool = gt({store[-2]}, 2.0)\n        if o:\n            {store}"
        assert left(step().replace(store, branch)) == 0


def test_another_place():
    text = step().replace("store(u, j, e)", "q: int = sub(j, 1)\n        store(u, q, e)")
    assert left(text) == 0
    text = step().replace("store(u, j, e)", "q: int = sub(h, j)\n        store(u, q, e)")
    assert left(text) == 0


def test_one_buffer():
    view = "view({}, 0, n, 1, spec=('s',))\n"
    assert left(step(head=f"u: f64[n] = copy(x)\nv: f64[n] = {view.format('u')}")) == 0
    of_the_caller = f"u: f64[n] = {view.format('x')}v: f64[n] = copy(x)\n"
    assert left(step(head=of_the_caller), returns="") == 0


WAVES = """
p: f64[n] = {p}
u: f64[n] = copy(x)
q: f64[n] = copy(x)
h: int = sub(n, 1)
for t in range(0, m):
    for i in range(1, h):
        a: f64 = load(u, i)
        b: f64 = load(p, i)
        c: f64 = mul(a, 1.5)
        d: f64 = sub(c, b)
        store(q, i, d)
    for j in range(0, n):
{copies}"""
FORWARD = ("e: f64 = load(u, j)", "store(p, j, e)", "f: f64 = load(q, j)", "store(u, j, f)")


def waves(copies, p="copy(x)"):
    return WAVES.format(p=p, copies="".join(f"        {line}\n" for line in copies)).strip("\n")


def test_three_in_turn():
    assert left(waves(FORWARD), returns="u, p,") == 3
    assert left(waves((*FORWARD[2:], *FORWARD[:2])), returns="u, p,") == 0
    assert left(waves(FORWARD, "sin(x)"), returns="u, p,") == 0


# ---- teeth ----
UNEQUAL = step(head="u: f64[n] = copy(x)\nv: f64[n] = sin(x)\n")
WRONG = {
    "are_equal": UNEQUAL.replace("range(1, h):\n        e", "range(0, n):\n        e"),
    "is_inside": step().replace("range(1, h):\n        e", "range(2, h):\n        e"),
    "in_turn": waves((*FORWARD[2:], *FORWARD[:2])),
}


@pytest.mark.parametrize("proof", WRONG)
def test_a_weaker_proof_is_noticed(proof, monkeypatch):
    assert left(WRONG[proof]) == 0
    monkeypatch.setattr(CopiesInTime, proof, lambda *_: True)
    with pytest.raises(AssertionError):
        left(WRONG[proof])


# ---- gradients ----
def burgers(x, trips):
    u, v = x.copy(), x.copy()
    s = 0.0
    for _ in range(trips):
        v[1:-1] = u[1:-1] - 0.2 * u[1:-1] * (u[1:-1] - u[:-2]) + 0.1 * (u[2:] - u[1:-1])
        u[1:-1] = v[1:-1]
        s += u[2] * u[0]
    return np.sum(u * u) + s


def shallow(x, trips):
    n = x.shape[0]
    h, q, hn, qn = 1.5 + x, x.copy(), np.empty(n), np.zeros(n)
    for _ in range(trips):
        for i in range(1, n):
            hn[i] = h[i] - 0.1 * (q[i] - q[i - 1])
            qn[i] = q[i] - 0.1 * (q[i] * q[i] / h[i] - h[i - 1])
        hn[0] = h[0] * h[1]
        qn[0] = h[0] * q[1]
        for i in range(n):
            h[i] = hn[i]
            q[i] = qn[i]
    return np.sum(h * q)


def plane(x, trips):
    n = x.shape[0]
    u = x[:, None] * np.sin(x)
    v = u.copy()
    for _ in range(trips):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                v[i, j] = u[i, j] * (u[i - 1, j] + u[i + 1, j]) + 0.2 * (u[i, j - 1] + u[i, j + 1])
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                u[i, j] = v[i, j]
    return np.sum(u)


@pytest.mark.parametrize("f", [burgers, shallow, plane])
@pytest.mark.parametrize("trips", [0, 1, 5])
def test_gradients(f, trips):
    args = 0.5 * np.sin(np.arange(5.0)), trips
    g = flow.grad(f, argnums=0, target="python")
    got = g(*args)
    with without("renamed_copies"):
        want = flow.grad(f, argnums=0, target="python")(*args)
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-14)
    check_grads(f, args, target="python")
    check_grads(lambda *args: flow.grad(f, argnums=0)(*args), args, target="python")


def jacobi(x, trips):
    n = x.shape[0]
    u, v = x.copy(), x.copy()
    for _ in range(trips):
        for i in range(1, n - 1):
            v[i] = 0.3 * (u[i - 1] + u[i] + u[i + 1])
        for i in range(1, n - 1):
            u[i] = v[i]
    return np.sum(u * u)


def taking_turns(x, trips):
    n = x.shape[0]
    u, v = x.copy(), x.copy()
    for _ in range(trips):
        for i in range(1, n - 1):
            v[i] = 0.3 * (u[i - 1] + u[i] + u[i + 1])
        u, v = v, u
    return np.sum(u * u)


@pytest.mark.parametrize("f", [jacobi, taking_turns])
def test_a_linear_step_saves_nothing(f):
    adjoint = flow.grad(f, argnums=0, target="python").ir("adjoint", np.ones(5), 3)
    assert "tape" not in adjoint and "ref_put" not in adjoint
