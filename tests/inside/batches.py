"""Functions of items with the arguments of batches, and the loop in Python over the items."""

import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import srcgrad as flow

RNG = np.random.default_rng(5)
A = RNG.uniform(0.2, 1.0, (3, 3)) + 2.0 * np.eye(3)


class Pair(NamedTuple):
    one: Any
    other: Any


@dataclass
class Model:
    weights: Any
    bias: Any


class Scaled:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return self.factor * np.sin(x)

    def method(self, x, y):
        return self.factor * x * y


def halvings(x):
    n = 0
    while x > 0.1:
        x, n = 0.5 * x, n + 1
    return x * x, n


def newton(a, x):
    for _ in range(50):
        new = 0.5 * (x + a / x)
        if abs(new - x) < 1e-12:
            return new
        x = new
    return x


def stored(x, y):
    out = np.zeros((len(x), 2))
    for i in range(len(x)):
        out[i, 0] = x[i] * y
        out[i, 1] = x[i] + y
    return out


def in_place(x, y):
    x = x.copy()
    x[1:] *= y
    x[0] = x[0] * x[-1]
    return x


def chosen(x):
    if np.sum(x) > 1.5:
        return x * x
    return np.sin(x)


def grown(x):
    found = []
    for v in x:
        found.append(v * v)
    return np.array(found)


def closures(x):
    def inner(y):
        return x * y

    return inner(2.0) + inner(x)


def arr(*shape):
    return RNG.uniform(0.2, 1.0, shape)


@dataclass
class Row:
    """A function, the arguments of a batch, and the axes."""

    name: str
    fn: Any
    args: tuple
    in_axes: Any = 0
    out_axes: Any = 0
    kwargs: Any = None


ROWS = [
    Row("scalars", lambda x: np.sin(x) * x, (arr(5),)),
    Row("a_number", lambda x: 2.0, (arr(5),)),
    Row("vectors", lambda x: np.sin(x) * x, (arr(5, 3),)),
    Row("matrices", lambda x: x @ x.T, (arr(4, 2, 3),)),
    Row("reduced", lambda x: np.sum(x * x), (arr(5, 3),)),
    Row("one_item", lambda x: np.cumsum(x), (arr(1, 3),)),
    Row("view", lambda x: x, (arr(5, 3),)),
    Row("part", lambda x: x[1:], (arr(5, 3),)),
    Row("every_second", lambda x: x[::2] * 2.0, (arr(5, 4),)),
    Row("half", lambda x: x[: len(x) // 2], (arr(5, 4),)),
    Row("turned", lambda x: x.T, (arr(4, 2, 3),)),
    Row("second_axis", lambda x: np.sin(x), (arr(3, 5),), 1),
    Row("last_axis", lambda x: np.cumsum(x), (arr(3, 5),), -1),
    Row("middle_axis", lambda x: x @ A, (arr(2, 5, 3),), 1),
    Row("out_last", lambda x: np.cumsum(x), (arr(5, 3),), 0, -1),
    Row("out_second", lambda x: x[:, None] * x, (arr(5, 3),), 0, 1),
    Row("out_negative", lambda x: x[:, None] * x, (arr(5, 3),), 0, -2),
    Row("in_and_out", lambda x: x * x, (arr(3, 5),), -1, -1),
    Row("shared", lambda w, x: np.tanh(w @ x), (arr(2, 3), arr(5, 3)), (None, 0)),
    Row("shared_last", lambda x, w: w * x, (arr(5, 3), arr(3)), (0, None)),
    Row("shared_number", lambda x, c: c * x, (arr(5, 3), 0.7), (0, None)),
    Row("several_axes", lambda x, y: x @ y, (arr(5, 3), arr(3, 5)), (0, 1)),
    Row("list_of_axes", lambda x, y: x * y, (arr(5), arr(5)), [0, 0]),
    Row("keywords", lambda x, y=1.0, z=2.0: x * y + z, (arr(5),), 0, 0, {"z": arr(5)}),
    Row("keyword_vectors", lambda x, *, y: x @ y, (arr(3),), None, 0, {"y": arr(5, 3)}),
    Row("other_keyword", lambda x, y: x @ y, (arr(3, 5),), 1, 0, {"y": arr(5, 3)}),
    Row("keyword_alone", lambda x, y: x @ y, (arr(3),), None, 0, {"y": arr(5, 3)}),
    Row("variadic", lambda *xs: xs[0] * xs[1], (arr(5), arr(5))),
    Row("defaults", lambda x, y=3.0: x * y, (arr(5),)),
    Row("tuple_out", lambda x: (x * x, np.sum(x)), (arr(5, 3),)),
    Row("list_out", lambda x: [x * x, (np.sum(x), None)], (arr(5, 3),)),
    Row("dict_out", lambda x: {"a": x * x, "b": 3.0}, (arr(5, 3),)),
    Row("axes_out", lambda x: (x * x, np.sum(x)), (arr(5, 3),), 0, (1, 0)),
    Row("dict_axes_out", lambda x: {"a": x, "b": x * x}, (arr(5, 3),), 0, {"a": 1, "b": -1}),
    Row("nothing_mapped_out", lambda x, y: (x, y * y), (arr(5), arr(3)), (0, None), (0, None)),
    Row("dict_in", lambda p: p["a"] * p["b"], ({"a": arr(5, 3), "b": arr(5)},)),
    Row("dict_axes_in", lambda p: p["a"] * p["b"], ({"a": arr(5, 3), "b": arr(3)},),
        ({"b": None, "a": 0},)),
    Row("list_in", lambda xs: xs[0] * xs[1], ([arr(5), arr(5, 3)],)),
    Row("nested_in", lambda t: t[0] * t[1]["y"][0], ((arr(5), {"y": [arr(2, 5)]}),), ((0, 1),)),
    Row("pair", lambda p: Pair(p.one * p.other, p.one), (Pair(arr(5, 3), arr(5)),)),
    Row("pair_axes", lambda p: p.one * p.other, (Pair(arr(3, 5), arr(5)),), (Pair(1, 0),)),
    Row("model", lambda m, x: Model(m.weights @ x, m.bias),
        (Model(arr(5, 2, 3), arr(5)), arr(5, 3))),
    Row("shared_model", lambda m, x: np.tanh(m.weights @ x + m.bias),
        (Model(arr(2, 3), 0.5), arr(5, 3)), (None, 0)),
    Row("model_axes", lambda m, x: m.weights * x + m.bias, (Model(arr(5), 0.5), arr(5)),
        (Model(0, None), 0)),
    Row("nothing", lambda p: p[0] * 2.0, ((arr(5), None),)),
    Row("callable", Scaled(3.0), (arr(5, 3),)),
    Row("method", Scaled(3.0).method, (arr(5, 3), arr(5))),
    Row("partial", functools.partial(Scaled.method, Scaled(2.0)), (arr(5), arr(5, 3))),
    Row("ufunc", np.exp, (arr(5, 3),)),
    Row("library", np.linalg.inv, (arr(5, 2, 2) + 2.0 * np.eye(2),)),
    Row("captured", lambda x: A @ x, (arr(5, 3),)),
    Row("while", halvings, (np.array([3.0, 0.05, 17.0, 1.0]),)),
    Row("newton", newton, (arr(6) + 0.5, arr(6))),
    Row("branches", chosen, (arr(6, 3),)),
    Row("stored", stored, (arr(5, 3), arr(5))),
    Row("in_place", in_place, (arr(5, 3), arr(5))),
    Row("grown", grown, (arr(5, 3),)),
    Row("closures", closures, (arr(5, 3),)),
    Row("solve", lambda a, b: np.linalg.solve(a, b), (arr(4, 3, 3) + 3 * np.eye(3), arr(4, 3))),
    Row("positive", lambda x: x[x > 0.0] * 2.0, (arr(5, 3),)),
    Row("positive_shared", lambda x, y: (x[x > 0.0], y * 2.0), (arr(5, 3), arr(2)), (0, None),
        (0, None)),
    Row("integers", lambda n: n * n, (np.arange(5),)),
    Row("of_integers", lambda n, x: (n + 1, x**n), (np.arange(5), arr(5))),
    Row("bools", lambda x: (x > 0.5, np.any(x > 0.9)), (arr(5, 3),)),
    Row("complex", lambda z: z * np.conj(z) + z, (arr(5) + 1j * arr(5),)),
    Row("nested", lambda x: flow.vmap(lambda y: y * np.sum(x))(x), (arr(5, 3),)),
    Row("nested_axes", lambda x, w: flow.vmap(lambda y, v: y @ v, (0, None))(x, w),
        (arr(4, 2, 3), arr(3)), (0, None)),
    Row("nested_of_shared", lambda x: flow.vmap(lambda y: y * x)(np.arange(4.0)), (arr(5),)),
    Row("gradient", lambda x, y: flow.grad(lambda v: np.sum(np.sin(v) * y))(x),
        (arr(5, 3), arr(5, 3))),
    Row("jacobian", lambda x: flow.jacrev(lambda v: np.sin(v) * v[0])(x), (arr(4, 2),)),
    Row("empty_rows", lambda x: x * 2.0, (arr(5, 0),)),
]  # fmt: skip
NAMES = [row.name for row in ROWS]


def tree_map(f, *values):
    """A function of the counterparts of several structures; None is a leaf of the axes' alone."""
    first = values[-1]
    if isinstance(first, dict):
        return {k: tree_map(f, *[part(v, k) for v in values]) for k in first}
    if isinstance(first, Model):
        return Model(*[tree_map(f, *[part(v, k) for v in values]) for k in ("weights", "bias")])
    if isinstance(first, tuple | list):
        made = [tree_map(f, *[part(v, k) for v in values]) for k in range(len(first))]
        return type(first)(*made) if isinstance(first, Pair) else type(first)(made)
    return f(*values)


def part(v, k):
    if v is None or isinstance(v, int):
        return v
    return getattr(v, k) if isinstance(v, Model) else v[k]


def size_of(axes, args):
    found = []

    def see(a, v):
        if a is not None and v is not None:
            found.append(v.shape[a])

    tree_map(see, axes, args)
    return found[0]


def taken(axes, args, k):
    return tree_map(lambda a, v: v if a is None or v is None else np.take(v, k, a), axes, args)


def axes_of(row):
    """The entry of each positional argument."""
    axes = row.in_axes
    return tuple(axes) if isinstance(axes, tuple | list) else (axes,) * len(row.args)


def items_of(row):
    """The arguments of the items: those by position, and those by name."""
    axes, kwargs = axes_of(row), row.kwargs or {}
    for k in range(size_of((axes, 0), (row.args, kwargs))):
        yield taken(axes, row.args, k), taken(0, kwargs, k)


def looped(row):
    """The results of the loop in Python."""
    outs = [row.fn(*args, **named) for args, named in items_of(row)]
    return tree_map(
        lambda a, *vs: vs[0] if a is None or vs[0] is None else np.stack(vs, a), row.out_axes, *outs
    )


def is_float(v):
    return v is not None and np.asarray(v).dtype.kind in "fc"


def drawn_like(value, seed):
    """Random numbers of the shapes and dtypes of the floats of a structure, else None."""
    rng = np.random.default_rng(seed)

    def draw(v):
        if not is_float(v):
            return None
        drawn = rng.uniform(-1.0, 1.0, np.shape(v))
        if np.iscomplexobj(v):
            drawn = drawn + 1j * rng.uniform(-1.0, 1.0, np.shape(v))
        return drawn.astype(np.asarray(v).dtype)[()]

    return tree_map(draw, value)


def gradients_of_items(row, seeds):
    """The gradients, item by item: each from the derivative of a call of the function itself."""
    total = tree_map(lambda v: np.zeros_like(np.asarray(v)) if is_float(v) else None, row.args)
    fn = flow.compile(row.fn, target="python")
    for k, (args, _) in enumerate(items_of(row)):
        seed_of = functools.partial(_seed_of, k)
        made = flow.vjp(fn, *args)[1](tree_map(seed_of, row.out_axes, seeds))
        tree_map(functools.partial(_add, k), axes_of(row), total, made)
    return total


def _seed_of(k, axis, g):
    if g is None or axis is not None:
        return None if g is None else np.take(g, k, axis)
    return g if k == 0 else np.zeros_like(g)


def _add(k, axis, total, g):
    if total is not None and g is not None:
        total[(...,) if axis is None else (slice(None),) * (axis % total.ndim) + (k,)] += g


def in_single(row):
    """The row with arguments of half the precision."""
    single = {"f": np.float32, "c": np.complex64}

    def cast(v):
        return v.astype(single[v.dtype.kind]) if isinstance(v, np.ndarray) and is_float(v) else v

    kwargs = tree_map(cast, row.kwargs or {})
    return Row(row.name, row.fn, tree_map(cast, row.args), row.in_axes, row.out_axes, kwargs)
