"""Functions with derivatives of the user's own; all rules here are the true derivatives."""

import functools
from dataclasses import dataclass

import numpy as np

import srcgrad as flow
from tests.cases.registry import case, mat, signed, vec

SCALE = np.array([0.5, 1.5, 2.0, 0.75])


@flow.custom_vjp
def product(x, y):
    return x * y


product.defvjp(lambda x, y: (x * y, (x, y)), lambda kept, g: (g * kept[1], g * kept[0]))


@case(vec(4), vec(4, 1))
def called_once(x, y):
    return np.sum(np.sin(product(x, y)))


@case(vec(4))
def both_arguments_the_same(x):
    return np.sum(product(x, x) * x)


@case(vec(4), vec(4, 1))
def called_twice_with_the_same(x, y):
    return np.sum(product(x, y) * np.cos(product(x, y)))


@case(0.7, 1.3)
def of_numbers(a, b):
    return product(a, b) * product(b, a + 1.0)


@case(vec(4), 0.4, 5)
def in_a_loop(x, a, n):
    for _ in range(n):
        x = product(x, 1.0 - a * x)
    return np.sum(x)


@case(vec(4), 3)
@case(vec(4), 0)
def carried_number(x, n):
    s = 1.0
    for i in range(n):
        s = product(s, x[i]) + np.sin(s)
    return s


@case(signed(5))
def in_branches(x):
    s = 0.0
    for v in x:
        if v > 0.0:
            s += product(v, s + 1.0)
        else:
            s = product(v, v) + 0.5 * s
    return s


@case(0.3)
def in_a_while(x):
    n = 0
    while x < 5.0:
        x = product(x, 1.7) + 0.1
        n += 1
    return x * n


@case(vec(4), vec(4, 1))
def arguments_stored_to_afterwards(x, y):
    z = product(x, y)
    x[0] = 5.0
    y *= x
    return np.sum(z * z * y)


@case(vec(4), vec(4, 1))
def the_value_stored_to(x, y):
    z = product(x, y)
    z[1] = z[0] * x[2]
    z[2:] += 1.0
    return np.sum(z * z)


@case(mat(3, 4))
def of_views(a):
    s = 0.0
    for i in range(2):
        s += np.sum(product(a[i], a[i + 1]))
        a[i + 1, 0] = s
    return s


def helper(x, k):
    return product(x, SCALE * k)


@case(vec(4), 1.5)
def in_a_helper(x, k):
    return np.sum(helper(helper(x, k), 2.0) ** 2)


# ---- residuals ----
@flow.custom_vjp
def exponential(x):
    return np.exp(x)


def exponential_fwd(x):
    y = exponential(x)
    return y, y


def exponential_bwd(y, g):
    return (g * y,)


exponential.defvjp(exponential_fwd, exponential_bwd)


@case(vec(3))
def value_kept_for_the_rule(x):
    return np.sum(exponential(x) * x)


@case(vec(3))
def value_kept_and_stored_to(x):
    y = exponential(x)
    y *= 2.0
    return np.sum(y * x)


@flow.custom_vjp
def sum_of_squares(x, w):
    s = 0.0
    for i in range(len(x)):
        s += w * x[i] * x[i]
    return s


def squares_fwd(x, w):
    doubled = np.empty_like(x)
    s = 0.0
    for i in range(len(x)):
        doubled[i] = 2.0 * x[i]
        s += w * x[i] * x[i]
    return s, {"doubled": doubled, "w": w, "mean": s / w}


def squares_bwd(kept, g):
    x_bar = np.zeros_like(kept["doubled"])
    for i in range(len(x_bar)):
        x_bar[i] = g * kept["w"] * kept["doubled"][i]
    return x_bar, g * kept["mean"]


sum_of_squares.defvjp(squares_fwd, squares_bwd)


@case(vec(5), 0.7)
def rule_with_loops(x, w):
    return sum_of_squares(x, w) * sum_of_squares(x[1:], w * w)


# ---- structures ----
@flow.custom_vjp
def stepped(state, p):
    return {"x": state["x"] + p[0] * state["v"], "v": state["v"] - p[1] * np.sin(state["x"])}


def stepped_fwd(state, p):
    return stepped(state, p), (state, p)


def stepped_bwd(kept, g):
    state, (a, b) = kept
    gx, gv = g["x"], g["v"]
    back = {"x": gx - gv * b * np.cos(state["x"]), "v": a * gx + gv}
    return back, (np.sum(gx * state["v"]), -np.sum(gv * np.sin(state["x"])))


stepped.defvjp(stepped_fwd, stepped_bwd)


@case(vec(3), vec(3, 1), 0.1, 0.3)
def dicts_and_tuples(x, v, a, b):
    state = {"x": x, "v": v}
    for _ in range(3):
        state = stepped(state, (a, b))
    return np.sum(state["x"] * state["v"])


@case(vec(3), vec(3, 1), 0.1)
def one_part_of_a_value(x, v, a):
    return np.sum(stepped({"x": x, "v": v}, (a, 2.0))["v"] ** 2)


@flow.custom_vjp
def with_none(x, n, y):
    return x**n


with_none.defvjp(
    lambda x, n, y: (x**n, (x, n)),
    lambda kept, g: (g * kept[1] * kept[0] ** (kept[1] - 1), None, None),
)


@case(vec(3), 3, vec(3, 1))
def none_for_zero(x, n, y):
    return np.sum(with_none(x, n, np.zeros(2)) * y)


# ---- not differentiated ----
@functools.partial(flow.custom_vjp, nondiff_argnums=(0, 2))
def applied(f, x, times):
    for _ in range(times):
        x = f(x)
    return x


def applied_fwd(f, x, times):
    return applied(f, x, times), x


def applied_bwd(f, times, x, g):
    slope = np.ones_like(x)
    for _ in range(times):
        slope *= np.cos(x)
        x = f(x)
    return (g * slope,)


applied.defvjp(applied_fwd, applied_bwd)


@case(vec(3))
def a_function_as_argument(x):
    return np.sum(applied(np.sin, x, 3) * x)


class Layer:
    def __init__(self, rate):
        self.rate = rate

    @functools.partial(flow.custom_vjp, nondiff_argnums=(0,))
    def decay(self, x):
        return x * self.rate

    def decay_fwd(self, x):
        return x * self.rate, None

    def decay_bwd(self, kept, g):
        return (g * self.rate,)

    decay.defvjp(decay_fwd, decay_bwd)


LAYER = Layer(0.3)


@case(vec(3))
def as_a_method(x):
    return np.sum(LAYER.decay(x) ** 2)


@dataclass
class Pair:
    a: np.ndarray
    b: float


@flow.custom_vjp
def of_pair(p, power=2.0, *more):
    return np.sum(p.a) ** power * p.b


def of_pair_fwd(p, power, *more):
    return of_pair(p, power), (p, power)


def of_pair_bwd(kept, g):
    p, power = kept
    s = np.sum(p.a)
    a_bar = g * power * s ** (power - 1.0) * p.b * np.ones_like(p.a)
    return Pair(a_bar, g * s**power), g * s**power * p.b * np.log(s)


of_pair.defvjp(of_pair_fwd, of_pair_bwd)


@case(vec(3), 1.3, 1.7)
def a_dataclass_a_default_a_keyword(x, b, power):
    p = Pair(x, b)
    return of_pair(p) + of_pair(p, power=power)


# ---- forward rules ----
@flow.custom_jvp
def softplus(x):
    return np.logaddexp(x, 0.0)


@softplus.defjvp
def softplus_jvp(primals, tangents):
    (x,), (dx,) = primals, tangents
    return softplus(x), dx / (1.0 + np.exp(-x))


@case(signed(5))
def forward_rule(x):
    return np.sum(softplus(x) * x)


@case(0.4, 4)
def forward_rule_in_a_loop(x, n):
    for _ in range(n):
        x = softplus(softplus(x) - 1.0)
    return x * x


def turn(x, angle):
    c, s = np.cos(angle), np.sin(angle)
    out = np.empty_like(x)
    out[0] = c * x[0] - s * x[1]
    out[1] = s * x[0] + c * x[1]
    return out


@flow.custom_jvp
def rotated(x, angle):
    return turn(x, angle)


@rotated.defjvp
def rotated_jvp(primals, tangents):
    (x, angle), (dx, da) = primals, tangents
    y = rotated(x, angle)
    dy = turn(dx, angle)
    dy[0] -= y[1] * da
    dy[1] += y[0] * da
    return y, dy


@case(vec(2), 0.6)
def forward_rule_with_stores(x, angle):
    y = rotated(x, angle)
    x[0] = y[1]
    return y[0] * rotated(x, angle * 2.0)[1]


@flow.custom_jvp
def power(x, n):
    return x**n


power.defjvps(lambda t, y, x, n: t * n * x ** (n - 1), None)


@flow.custom_jvp
def ratio(a, b):
    return a / b


ratio.defjvps(lambda t, y, a, b: t / b, lambda t, y, a, b: -t * y / b)


@case(vec(4), 3)
def one_forward_rule_for_each(x, n):
    return np.sum(ratio(power(x, n), x + 2.0))
