"""`weights=`: what it accepts, how results nest; aux, names, adjoints. In both modes."""

import pickle

import numpy as np
import pytest

import srcgrad as flow
from srcgrad import ops


@pytest.fixture(params=["compiled", "tape"], autouse=True)
def mode(request):
    flow.set_context(mode=flow.GRAPH_MODE if request.param == "compiled" else flow.PYNATIVE_MODE)
    yield request.param
    flow.set_context(mode=None)


@pytest.fixture
def p():
    return flow.Parameter(flow.tensor([3.0]), name="p")


def plain(value):
    """A nested result as numbers."""
    if isinstance(value, tuple | list):
        return type(value)(map(plain, value))
    return value.tolist() if isinstance(value, flow.Tensor) else value


X, Y = flow.tensor([2.0]), flow.tensor([5.0])
DX, DY, DP, V = [15.0], [6.0], [10.0], 30.0
ROWS = [
    (0, None, DX), (1, None, DY), ((0,), None, DX), ((0, 1), None, (DX, DY)),
    ((1, 0), None, (DY, DX)), (None, list, (DP,)), (None, tuple, (DP,)),
    (None, flow.ParameterTuple, (DP,)), (None, "bare", DP), (0, list, (DX, (DP,))),
    (0, "bare", (DX, DP)), ((0,), list, (DX, (DP,))), ((0, 1), list, ((DX, DY), (DP,))),
    ((0, 1), "bare", ((DX, DY), DP)),
]  # fmt: skip


@pytest.mark.parametrize(("position", "kind", "wanted"), ROWS)
def test_nesting(p, position, kind, wanted):
    def f(x, y):
        return (x * y * p).sum()

    def g(x, y):
        return (x * y * p).sum(), x

    weights = None if kind is None else p if kind == "bare" else kind([p])
    assert plain(flow.grad(f, position, weights)(X, Y)) == wanted
    assert plain(flow.value_and_grad(f, position, weights)(X, Y)) == (V, wanted)
    assert plain(flow.grad(g, position, weights, True)(X, Y)) == (wanted, ([2.0],))
    made = flow.value_and_grad(g, position, weights, True)(X, Y)
    assert plain(made) == ((V, [2.0]), wanted)


def test_one_function_with_both_kinds_of_weights(p):
    def f(x):
        return x * p

    assert plain(flow.grad(f, None, [p])(X)) == ([2.0],)
    assert plain(flow.grad(f, None, p)(X)) == [2.0]


def test_empty_weights(p):
    def f(x):
        return x * p

    assert plain(flow.grad(f, None, [])(X)) == ()
    assert plain(flow.grad(f, 0, [])(X)) == ([3.0], ())


def test_unused_and_frozen_weights_have_zeros(p):
    other = flow.Parameter(flow.tensor([4.0, 5.0]), name="other")
    frozen = flow.Parameter(flow.tensor([7.0]), name="frozen", requires_grad=False)

    def f(x):
        return x * p * frozen

    g = flow.grad(f, None, [p, other, frozen])
    assert plain(g(X)) == ([14.0], [0.0, 0.0], [0.0])
    frozen.requires_grad = True
    assert plain(g(X)) == ([14.0], [0.0, 0.0], [6.0])


def test_the_same_parameter_by_two_names(p):
    again = p

    def f(x):
        return x * p * again

    assert plain(flow.grad(f, None, [p, p])(X)) == ([12.0], [12.0])


def test_a_parameter_that_is_an_argument_as_well(p):
    def f(x):
        return x * p

    assert plain(flow.grad(f, 0, p)(p)) == ([3.0], [3.0])
    assert plain(flow.grad(f)(p)) == [3.0]


def test_plain_tensors_are_no_weights():
    """They would have a gradient of zeros where the function has another one in its place."""
    c = flow.tensor([4.0])

    def f(x):
        return x * c

    for weights in (c, [c]):
        with pytest.raises(RuntimeError, match="is a Tensor, not a Parameter") as e:
            flow.grad(f, None, weights)
        assert "flow.Parameter(x, name='w')" in e.value.way_out
    c = flow.Parameter(c, name="w")
    assert plain(flow.grad(f, None, [c])(X)) == ([2.0],)


def test_errors(p):
    def f(x):
        return x * p

    for wrong in ("p", (q for q in [p]), 3):
        with pytest.raises(TypeError, match="The weights you provided is expected to be"):
            flow.grad(f, None, wrong)(X)
    with pytest.raises(RuntimeError, match="not a Parameter"):
        flow.grad(f, None, [p, None])(X)
    with pytest.raises(ValueError, match="can not be None at the same time"):
        flow.grad(f, None, None)
    count = flow.Parameter(flow.tensor([3]), name="count")
    with pytest.raises(TypeError, match="the weight 'count' has dtype"):
        flow.grad(f, None, [count])(X)
    with pytest.raises(TypeError, match="'return_ids' should be bool"):
        flow.grad(f, return_ids=1)
    with pytest.raises(pickle.PicklingError):
        pickle.dumps(flow.grad(f, None, [p]))


def test_return_ids(p):
    def f(x, y):
        return (x * y * p).sum()

    assert plain(flow.grad(f, 1, return_ids=True)(X, Y)) == (1, DY)
    made = flow.grad(f, (0, 1), [p], return_ids=True)(X, Y)
    assert plain(made) == (((0, DX), (1, DY)), (("p", DP),))
    assert [plain(flow.get_grad(made, k)) for k in (0, 1, p)] == [DX, DY, DP]
    with pytest.raises(RuntimeError, match="Can not find the gradient"):
        flow.get_grad(made, 2)
    with pytest.raises(TypeError, match="should be an integer or a Parameter"):
        flow.get_grad(made, "p")


def test_an_adjoint_of_ones_own(p):
    def f(x):
        return x * x * p

    x, sens = flow.tensor([1.0, 2.0]), flow.tensor([10.0, 100.0])
    g = flow.grad(f, 0, [p], sens_param=True)
    assert plain(g(x, sens)) == ([60.0, 1200.0], ([410.0],))
    assert plain(g(x, sens=sens)) == plain(g(x, sens))
    made = flow.value_and_grad(f, sens_param=True)(x, sens)
    assert plain(made) == ([3.0, 12.0], [60.0, 1200.0])
    with pytest.raises(ValueError, match="shape of its output"):
        g(x, flow.ones(3))


def test_vjp_with_weights_and_aux(p):
    def f(x):
        return x * p, x

    x = flow.tensor([1.0, 2.0])
    out, pull, aux = flow.vjp(f, x, weights=[p], has_aux=True)
    assert plain((out, aux)) == ([3.0, 6.0], [1.0, 2.0])
    assert plain(pull(flow.ones(2))) == (([3.0, 3.0],), ([3.0],))


def test_grad_operation(p):
    def f(x, k, y):
        return (x * y * p * k).sum()

    assert plain(ops.GradOperation()(f)(X, 1, Y)) == DX
    assert plain(ops.GradOperation(get_all=True)(f)(X, 1, Y)) == (DX, DY)
    assert plain(ops.GradOperation(get_by_list=True)(f, [p])(X, 1, Y)) == (DP,)
    both = ops.GradOperation(get_all=True, get_by_list=True)
    assert plain(both(f, [p])(X, 1, Y)) == ((DX, DY), (DP,))
    sens = ops.GradOperation(get_all=True, get_by_list=True, sens_param=True)
    assert plain(sens(f, [p])(X, 1, Y, flow.tensor(2.0))) == (([30.0], [12.0]), ([20.0],))
    with pytest.raises(TypeError, match="'get_all' should be bool"):
        ops.GradOperation(get_all=1)


def test_nested_by_weights(p):
    def f(x):
        return (x * x * p * p).sum()

    inner = flow.grad(f)
    assert plain(flow.grad(inner, None, [p])(X)) == ([24.0],)

    def slope(x):
        return flow.grad(f)(x).sum()

    assert plain(flow.grad(slope, None, p)(X)) == [24.0]
    assert plain(flow.grad(flow.grad(f, None, p), None, p)(X)) == [8.0]


def test_results_are_no_part_of_a_graph_by_parameters(p):
    def f(x):
        return x * p

    value, gradient = flow.value_and_grad(f)(X)
    assert not value.requires_grad and not gradient.requires_grad
    x = flow.tensor([2.0], requires_grad=True)
    assert flow.value_and_grad(f)(x)[0].requires_grad


def test_arguments_stay_as_they_were(p):
    def f(x):
        x *= 2.0
        y = x * p
        y += 1.0
        return y

    x = flow.tensor([2.0])
    assert plain(flow.grad(f, 0, [p])(x)) == ([6.0], ([4.0],))
    assert x.tolist() == [2.0]


def test_jacobians():
    x, y = flow.tensor([1.0, 2.0]), flow.tensor([3.0, 4.0])

    def f(x, y):
        return x * y

    def h(x):
        return x * x, x

    def cube(x):
        return (x**3).sum()

    for jac in (flow.jacrev, flow.jacfwd):
        made = jac(f, (0, 1))(x, y)
        assert plain(made) == ([[3.0, 0.0], [0.0, 4.0]], [[1.0, 0.0], [0.0, 2.0]])
        assert plain(jac(h, 0, True)(x)) == ([[2.0, 0.0], [0.0, 4.0]], [1.0, 2.0])
        assert plain(jac(h)(x)) == ([[2.0, 0.0], [0.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]])
        assert plain(jac(cube)(x)) == [3.0, 12.0]
        with pytest.raises(ValueError, match="must be >= 0"):
            jac(f, -1)
    assert plain(flow.jacfwd(flow.jacrev(cube))(x)) == [[6.0, 0.0], [0.0, 12.0]]


def test_linearize_and_aux_of_jvp():
    x, v = flow.tensor([1.0, 2.0]), flow.tensor([1.0, 10.0])

    def f(x):
        return x**3, x

    assert plain(flow.jvp(f, x, v, has_aux=True)) == ([1.0, 8.0], [3.0, 120.0], [1.0, 2.0])
    out, derivative = flow.linearize(lambda x: x**3, x)
    assert plain((out, derivative(v))) == ([1.0, 8.0], [3.0, 120.0])


def test_arrays_with_weights(p, mode):
    def f(x):
        return (x * p).sum()

    dx, (dp,) = flow.grad(f, 0, [p])(np.array([2.0, 4.0]))
    assert isinstance(dx, np.ndarray) and dx.tolist() == [3.0, 3.0]
    assert plain(dp) == [6.0]


def test_what_the_compiler_refuses_runs_on_the_tape(p):
    flow.set_context(mode=None)
    seen = []

    def f(x):
        seen.append(1)
        try:
            return x * p
        except ValueError:
            return x

    assert plain(flow.grad(f, 0, [p])(X)) == ([3.0], ([2.0],))
    assert seen == [1]
    flow.set_context(mode=flow.GRAPH_MODE)
    with pytest.raises(flow.UnsupportedError):
        flow.grad(f, 0, [p])(X)


def test_a_number_taken_out_of_the_tape_is_refused():
    """Its gradient would be lost; what is detached is meant."""
    flow.set_context(mode=flow.PYNATIVE_MODE)

    def f(x):
        return x * float(x)

    def g(x):
        return x * x.detach().item() + x * int(x)

    def h(x):
        return x * x.detach()

    with pytest.raises(RuntimeError, match=r"Use detach\(\).item\(\)"):
        flow.grad(f)(X)
    assert plain(flow.grad(g)(X)) == [4.0]
    for mode in (flow.PYNATIVE_MODE, flow.GRAPH_MODE):
        flow.set_context(mode=mode)
        assert plain(flow.grad(h)(X)) == [2.0]
    assert float(flow.tensor(2.0, requires_grad=True)) == 2.0


def test_the_mode_may_change_between_calls(p):
    seen = []

    def f(x):
        seen.append("run")
        return x * p

    def g(x):
        return x * p

    flow.set_context(mode=None)
    assert plain(flow.grad(f)(X)) == [3.0] and seen == ["run"]
    again = flow.grad(g)
    for mode in (None, flow.GRAPH_MODE, flow.PYNATIVE_MODE, None):
        flow.set_context(mode=mode)
        assert [plain(again(X)) for _ in range(3)] == [[3.0]] * 3
