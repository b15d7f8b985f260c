"""Rules of the user's own that are wrong, or are asked for what they do not say."""

import numpy as np

import srcgrad as flow
from tests.cases.registry import vec
from tests.errors.programs import program

WEIGHT = flow.Parameter(np.array([1.0, 2.0, 3.0]))


def ruled(backward, forward=lambda x, y: (x * y, (x, y))):
    f = flow.custom_vjp(lambda x, y: x * y)
    f.defvjp(forward, backward)
    return f


TOO_FEW = ruled(lambda kept, g: (g,))  # error: TypeError: returns 1 values, not one adjoint for


@program(vec(3))
def too_few_adjoints(x):
    return np.sum(TOO_FEW(x, x + 1.0))


OTHER_RANK = ruled(lambda kept, g: (1.0, g))  # error: ShapeError: shape (), not (n,)


@program(vec(3))
def adjoint_of_another_rank(x):
    return np.sum(OTHER_RANK(x, x + 1.0))


OTHER_LENGTH = ruled(lambda kept, g: (g[1:], g))  # error: ValueError: another shape


@program(vec(3))
def adjoint_of_another_length(x):
    return np.sum(OTHER_LENGTH(x, x + 1.0))


INTEGERS = ruled(lambda kept, g: (np.arange(3), g))  # error: TypeError: dtype int64, not float64


@program(vec(3))
def adjoint_of_integers(x):
    return np.sum(INTEGERS(x, x + 1.0))


def stores_to_argument(x, y):
    x[0] = 1.0  # error: UnsupportedError: has a derivative of its own and stores to 'x'
    return x * y, None


STORING = ruled(lambda kept, g: (g, g), stores_to_argument)


@program(vec(3))
def forward_rule_that_stores(x):
    return np.sum(STORING(x, x + 1.0))


def stores_to_residual(kept, g):
    kept[0][0] = 1.0  # error: UnsupportedError: the rule of ... stores to 'x'
    return g * kept[1], g * kept[0]


STORING_LATER = ruled(stores_to_residual)


@program(vec(3))
def backward_rule_that_stores(x):
    return np.sum(STORING_LATER(x, x + 1.0))


def without_residuals(x, y):
    return x * y  # error: TypeError: the value


NO_RESIDUALS = ruled(lambda kept, g: (g, g), without_residuals)


@program(vec(3))
def no_residuals(x):
    return np.sum(NO_RESIDUALS(x, x + 1.0))


WITHOUT = flow.custom_vjp(lambda x: x)


@program(vec(3))
def without_a_rule(x):  # error, no line: TypeError: has no rule yet
    return np.sum(WITHOUT(x))


@program(vec(3))
def stated_inside(x):
    f = flow.custom_jvp(np.sin)  # error: UnsupportedError: a rule stated inside
    return np.sum(f(x))


SQUARED = flow.custom_jvp(lambda x: x * x)
SQUARED.defjvp(lambda x, t: (x[0] ** 2, t[0] * t[0]))  # error: UnsupportedError: is not linear in


@program(vec(3))
def rule_that_is_not_linear(x):
    return np.sum(SQUARED(x))


def scaled(x, y):
    return x * WEIGHT * y, None


CAPTURING = ruled(lambda kept, g: (g * WEIGHT, g * WEIGHT), scaled)


def summed(x):
    y = CAPTURING(x, x)  # error: UnsupportedError: depends on 'weight', by which a derivative
    return np.sum(y)


@flow.compile
def by_a_captured_parameter(x):
    return flow.grad(summed, None, WEIGHT)(x)


@program(vec(3), how="call")
def a_parameter_that_the_rule_leaves_out(x):
    return by_a_captured_parameter(x)


@flow.custom_vjp
def same(x):
    return x


same.defvjp(lambda x: (x, None), lambda kept, g: (g,))


@program(vec(3))
def a_value_that_is_its_argument(x):
    y = same(x)  # error: UnsupportedError: what same() returns is a view in NumPy
    y[0] = 3.0
    return np.sum(x * y)


def raises(kept, g):
    raise ValueError("there is no derivative")  # error: ValueError: there is no derivative


RAISING = ruled(raises)


@program(vec(3))
def rule_that_raises(x):
    return np.sum(RAISING(x, x))


# ---- opaque ----
HIDDEN = flow.opaque(np.sin, lambda x: x)


@program(vec(3))
def opaque_without_a_derivative(x):
    return np.sum(HIDDEN(x))  # error: UnsupportedError: sin() is opaque


@program(vec(3))
def opaque_where_a_handler_would_catch(x):
    try:
        y = HIDDEN(x)  # error: UnsupportedError: whether sin() raises is not known
    except ValueError:
        y = x
    return np.sum(y)


WRONG = flow.opaque(lambda x: np.ones(2), lambda x: x)


@program(vec(3), how="call")
def opaque_of_another_shape(x):  # error, no line: ValueError: returned the shape (2,), not (3,)
    return np.sum(WRONG(x))


VAGUE = flow.opaque(lambda x: x, "a float")


@program(0.5)
def opaque_of_no_dtype(x):
    return VAGUE(x)  # error: UnsupportedError: has no dtype


# ---- messages ----
@program(vec(3))
def message_that_is_not_used(x):
    flow.distributed.sendrecv(x, 0, 0)  # error: UnsupportedError: exchanges its derivative with
    return np.sum(x)


@program(vec(3))
def message_that_does_not_vary(x):
    y = flow.distributed.sendrecv(np.ones(3), 0, 0)  # error: UnsupportedError: does not vary with
    return np.sum(x * y)


# ---- insert_grad_of ----
@program(vec(3))
def adjoint_made_shorter(x):
    y = x * x
    with flow.insert_grad_of(y) as dy:  # error: ShapeError: what the body of insert_grad_of leaves
        dy = dy[1:]
    return np.sum(y)


@program(vec(3))
def stored_to_after_an_insertion(x):
    y = x * x
    with flow.insert_grad_of(y) as dy:  # error: UnsupportedError: it is stored to
        dy = 2.0 * dy
    y[0] = 1.0
    return np.sum(y)


@program(vec(3))
def return_in_an_insertion(x):
    with flow.insert_grad_of(x) as dx:
        return dx  # error: UnsupportedError: runs in the reverse sweep
    return np.sum(x)


@program(vec(3))
def insertion_without_a_name(x):
    with flow.insert_grad_of(x * x) as dx:  # error: UnsupportedError: takes the name of a variable
        print(dx)
    return np.sum(x)


@program(vec(3))
def insertion_that_stops(x):
    with flow.insert_grad_of(x) as dx:
        breakpoint()  # error: UnsupportedError: breakpoint
        dx = 2.0 * dx
    return np.sum(x)


# ---- solvers ----
@program(1.0)
def odeint_of_a_function_inside(x):
    def rhs(y, t):
        return -x * y

    return flow.odeint(rhs, 1.0, np.array([0.0, 1.0]))[1]  # error: UnsupportedError: defined inside


NO_ROOT = flow.implicit_root(lambda x, a: x * x + a, maxiter=5)


@program(1.0, how="call")
def no_root(a):  # error, no line: RuntimeError: has not found a root in 5 steps
    return NO_ROOT(1.0, a)


SQUARE = flow.custom_vjp(lambda z: z * z)
SQUARE.defvjp(lambda z: (z * z, z), lambda z, g: (2.0 * z * g,))


@program(vec(2))
def rule_for_complex_numbers(x):
    z = x[0] + 1j * x[1]
    return abs(SQUARE(z)) ** 2  # error: UnsupportedError: complex numbers
