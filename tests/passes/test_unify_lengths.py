"""Lengths that a check finds equal: one name where nothing can be noticed, two elsewhere."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.ir.nodes import Def
from srcgrad.ir.parse import parse
from srcgrad.ir.walk import walk
from srcgrad.passes import checking, without
from srcgrad.passes.unify_lengths import unify_lengths
from srcgrad.primitives import REGISTRY
from tests.passes.pass_programs import agree, program, text, vec

PARAMS = "x: f64[n], y: f64[m]"
CALLS = (vec(1, 2, 3), vec(4, 5, 6)), (vec(1, 2, 3), vec(4, 5)), (vec(), vec())
EQUAL = "check_equal(n, m, message='{} is not {}')"
ADDED = "z: f64[n] = add(x, y)"


def unified(body, returns="z,", params=PARAMS, calls=CALLS):
    """Whether the two lengths have one name afterwards."""
    new = agree(unify_lengths, program(params, body, returns), *calls)
    x, y = (p.type.dims[0] for p in new.params[:2])
    return x is y


@pytest.mark.parametrize(
    "before",
    [
        "",
        "w: f64[n] = sin(x)",
        "w: f64[n] = zeros(n, dtype='f64')\nstore(w, 0, 1.0)",
        "check_equal(m, 3, message='{} is not {}')",
        "v: f64 = max(x, axes=(0,))",
        "w: f64[n] = copy(x)\nfor i in range(0, n):\n    store(w, i, 1.0)",
    ],
)
def test_what_cannot_be_noticed_is_passed(before):
    calls = CALLS[:2] if "0, 1.0" in before or "max" in before else CALLS
    calls = CALLS[:1] if "m, 3" in before else calls  # of two failing checks another is named
    new = agree(unify_lengths, program(PARAMS, f"{before}\n{EQUAL}\n{ADDED}", "z,"), *calls)
    assert new.params[0].type.dims[0] is new.params[1].type.dims[0]


@pytest.mark.parametrize(
    "before",
    [
        "show(n, message='{}')",
        "k: int = index(2, n, axis=0)",
        "store(x, 0, 7.0)",
        "v: f64.strided[n] = view(x, 0, n, 1, spec=('s',))\nadd_at(v, 0, 7.0)",
        "q: int = floordiv(6, n)",
        "for i in range(0, n):\n    k: int = index(2, n, axis=0)",
    ],
)
def test_what_can_be_noticed_is_not_passed(before):
    assert not unified(f"{before}\n{EQUAL}\n{ADDED}")


def test_a_broadcast_binds_lengths_that_are_never_one():
    check = "check_broadcast(n, m, split=1)"
    assert unified(f"{check}\n{ADDED}")
    length = "m: int = dim(y, axis=0, may_be_one=True)"
    f = parse(
        f"def f({PARAMS}):\n    n: int = dim(x, axis=0)\n    {length}\n    {check}\n    {ADDED}\n"
        "    return (z,)\n", REGISTRY,
    )  # fmt: skip
    new = agree(unify_lengths, f, *CALLS, (vec(1, 2, 3), vec(5)))
    assert new.params[0].type.dims[0] is not new.params[1].type.dims[0]


def test_an_assignment_binds_what_is_assigned():
    body = "z: f64[n] = zeros(n, dtype='f64')\ncheck_assign(n, m, split=1)\nassign(z, y)"
    assert unified(body)
    f = parse(
        f"def f({PARAMS}):\n    n: int = dim(x, axis=0, may_be_one=True)\n"
        "    m: int = dim(y, axis=0, may_be_one=True)\n    check_assign(n, m, split=1)\n"
        "    assign(x, y)\n    return (x,)\n", REGISTRY,
    )  # fmt: skip
    new = agree(unify_lengths, f, *CALLS, (vec(1, 2, 3), vec(5)))
    assert new.params[0].type.dims[0] is not new.params[1].type.dims[0]


def test_computed_lengths_and_inner_checks_bind_nothing():
    assert not unified(f"k: int = sub(n, 1)\ncheck_equal(k, m, message='{{}} {{}}')\n{ADDED}")
    inside = f"c: bool = gt(n, 2)\nif c:\n    {EQUAL}\nz: f64[n] = sin(x)"
    assert not unified(inside)


def test_a_check_that_holds_by_name_goes():
    body = f"""
{EQUAL}
k: int = sub(n, 1)
l: int = sub(m, 1)
check_assign(n, 1, m, n, 1, 1, split=3)
check_broadcast(k, 1, k, m, split=2)
check_equal(k, l, message='{{}} {{}}')
{ADDED}
"""
    new = agree(unify_lengths, program(PARAMS, body, "z,"), *CALLS)
    assert [line for line in text(new).splitlines() if "check" in line] == [
        EQUAL, "check_equal(k, l, message='{} {}')",
    ]  # fmt: skip


def test_a_check_of_a_longer_source_stays():
    body = "check_assign(n, 2, n, split=1)\nz: f64[n] = sin(x)"
    new = agree(unify_lengths, program(PARAMS, body, "z,"), *CALLS)
    assert "check_assign" in text(new)


def stores(a, b):
    c = a * b
    b[0] = 1.0
    return np.sum(c * b)


@pytest.mark.parametrize("target", ["python", "loops", "cpu"])
def test_copies_of_arguments_are_made_behind_the_checks(target):
    """The names of their lengths hold there only."""
    f = flow.compile(stores, target=target)
    for call in (flow.grad(f, grad_position=(0, 1)), lambda a, b: flow.vjp(f, a, b)[0]):
        with checking(), without("fuse"):
            call(np.ones(3), np.ones(3))
        for lengths in ((3, 40_000), (40_000, 3)):
            with without("fuse"), pytest.raises(ValueError, match="broadcast"):
                call(*map(np.ones, lengths))


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("step", [1, 2])
def test_an_inlined_program_meets_lengths_of_other_names(target, step):
    """Strided and contiguous arguments, at the top and in a loop, differentiated once more."""

    def inner(a, b):
        return np.sum(np.sin(a @ b) * b)

    slopes = flow.grad(inner, grad_position=(0, 1))

    def outer(x, y):
        total = 0.0
        for _ in range(2):
            da, db = slopes(x[::step, ::step], y[::step])
            total += np.sum(da) * np.sum(db**2)
        return total

    x, y = np.linspace(0.1, 0.9, 16).reshape(4, 4), np.linspace(0.5, 1.0, 4)
    with checking():
        f = flow.value_and_grad(flow.compile(outer, target=target), grad_position=(0, 1))
        value, grads = f(x, y)
    with without("unify_lengths"):
        g = flow.value_and_grad(flow.compile(outer, target=target), grad_position=(0, 1))
        want_value, want = g(x, y)
    np.testing.assert_allclose(value, want_value, rtol=1e-13)
    for a, b in zip(grads, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
    with pytest.raises(ValueError, match=r"shapes not aligned|mismatch"):
        f(x, np.ones(6))


def test_the_product_of_a_layer_has_one_name_per_length():
    grad = flow.grad(lambda w, x, b: np.sum(np.tanh(x @ w + b)), grad_position=(0, 2))
    w, x, b = np.ones((3, 2)), np.ones((5, 3)), np.ones(2)
    grad(w, x, b)
    program = grad._program(grad._asked((w, x, b), {}))[0].function
    assert len({d for p in program.params for d in p.type.dims}) == 3
    checks = [s.op.name for s in walk(program.body) if isinstance(s, Def) and s.op.raises]
    assert sorted(checks) == ["check_broadcast", "check_equal"]


# ---- what loops carry ----
CARRIED = """
h: f64[k] = y
k: int = m
for i in range(0, trips):
    check_equal(n, k, message='{} is not {}')
    t: f64[n] = add(x, h)
    h1: f64[n] = mul(t, 0.5)
    h, k = h1, n
"""


def carried(body=CARRIED):
    f = program(f"{PARAMS}, trips: int", body, "h,")
    calls = [(*arrays, trips) for arrays in CALLS for trips in (0, 1, 3)]
    return agree(unify_lengths, f, *calls)


def test_a_carried_array_is_read_by_the_length_that_was_checked():
    new = carried()
    (view,) = [s for s in walk(new.body) if isinstance(s, Def) and s.op.name == "view"]
    assert view.var.type.dims == (new.params[0].type.dims[0],)
    (add,) = [s for s in walk(new.body) if isinstance(s, Def) and s.op.name == "add"]
    assert view.var in add.args


def test_a_second_run_changes_nothing():
    assert text(unify_lengths(carried())) == text(carried())


def test_a_store_through_the_view_is_one_to_the_array():
    carried(
        CARRIED.replace("    t: f64", "    store(h, 0, 9.0)\n    add_at(y, 0, 1.0)\n    t: f64")
    )


def test_what_is_yielded_unchanged_keeps_its_length():
    carried(CARRIED.replace("h, k = h1, n", "h, k = h, k"))


STATES = """
h: f64[k] = y
g: f64[j] = x
k: int = m
j: int = n
for i in range(0, trips):
    before: f64[k] = mul(h, 2.0)
    check_equal(n, k, message='{} is not {}')
    t: f64[k] = mul(h, 0.5)
    h, g, k, j = NEXT
"""


@pytest.mark.parametrize("yielded", ["t, h, k, k", "before, t, k, k", "h, before, k, k"])
def test_what_is_yielded_has_the_yielded_length(yielded):
    """Made before the check, after it, or unchanged."""
    carried(STATES.replace("NEXT", yielded))


def test_two_arrays_of_one_length_made_before_the_check_and_after_it():
    one_length = STATES.replace("f64[j]", "f64[k]").replace("g: f64[k] = x", "g: f64[k] = y")
    for yielded in ("before, t, k, 0", "t, before, k, 0", "h, t, k, 1", "before, h, k, 0"):
        carried(one_length.replace("NEXT", yielded))


def test_a_check_in_a_branch_names_nothing_after_it():
    carried(
        STATES.replace(
            "    check_equal", "    c: bool = eq(i, 1)\n    if c:\n        check_equal"
        ).replace("NEXT", "t, h, k, k")
    )


def state_as_an_argument(w, xs, h):
    for x in xs:
        h = np.tanh(w @ h + x)
    return h


@pytest.mark.parametrize("trips", [0, 1, 4])
def test_gradients_of_a_state_that_is_an_argument(trips):
    numbers = np.random.default_rng(trips)
    w, xs, h = (numbers.normal(size=s) / 2 for s in ((3, 3), (trips, 3), (3,)))
    with checking():
        got = flow.grad(lambda *a: np.sum(state_as_an_argument(*a)), (0, 1, 2))(w, xs, h)
    with without("unify_lengths"):
        want = flow.grad(lambda *a: np.sum(state_as_an_argument(*a)), (0, 1, 2))(w, xs, h)
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13)
    with pytest.raises(ValueError, match="not aligned"):
        flow.compile(state_as_an_argument)(w[:, :2], np.ones((2, 3)), h)


def made_before_the_check(a, b, n):
    y, x = b, 2.0 * b
    for _ in range(n):
        pair = np.stack([y, x], axis=1)
        x = np.linalg.solve(a, pair)[:, 0] + b
        y = np.linalg.solve(a.T, pair + np.outer(x, x[:2]))[:, 1]
    return x @ y


def fixed_rows(a, b, n):
    rows = np.ones((2, 1)) * b
    for _ in range(n):
        rows = np.stack([a @ rows[0], rows[1] + a @ rows[0]])
    return np.sum(rows * rows)


def two_lengths(a, b, n):
    p = np.eye(2)
    for _ in range(n):
        k = b @ p @ a
        p = a.T @ p @ (a - np.outer(b, k)) + np.eye(2)
    return np.sum(p)


@pytest.mark.parametrize("f", [two_lengths, made_before_the_check, fixed_rows])
def test_arrays_of_carried_lengths(f):
    a, b = np.array([[1.0, 0.1], [0.2, 0.9]]), np.array([0.3, 1.0])
    with checking():
        got = flow.grad(f, (0, 1))(a, b, 3)
    with without("unify_lengths"):
        want = flow.grad(f, (0, 1))(a, b, 3)
    for g, w in zip(got, want, strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-12)
