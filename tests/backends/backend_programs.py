"""Programs built by hand, and random ones of array operations, to hold backends against the text.

A pass may rename dims in place, so a program is made anew for each use.
"""

import random

import numpy as np

from srcgrad.backends import python
from srcgrad.errors import ShapeError
from srcgrad.ir.build import Builder
from srcgrad.ir.check import check
from srcgrad.ir.nodes import For, Function, Var, atom
from srcgrad.ir.types import FLOAT, INT, Array, Scalar, np_dtype
from srcgrad.primitives import REGISTRY


class Program:
    """Collects parameters and statements; `b` is the builder."""

    def __init__(self):
        self.b = Builder(REGISTRY)
        self.params = []

    def array(self, name, *dims, dtype="f64", layout="C"):
        """A parameter; a dim that is None is an axis whose length is known at run time only."""
        v = Var(name, Array(dtype, tuple(d or 0 for d in dims), layout))
        known = [self.b("dim", v, axis=k, name="n") if d is None else d for k, d in enumerate(dims)]
        v.type = Array(dtype, tuple(known), layout)
        self.params.append(v)
        return v

    def scalar(self, name, type=FLOAT):
        v = Var(name, type)
        self.params.append(v)
        return v

    def loop(self, start, stop, body, reverse=False):
        """A loop that carries nothing; `body(i)` emits its statements."""
        i = Var("i", INT)
        with self.b.block() as out:
            body(i)
        self.b.append(For(i, atom(start), atom(stop), (), (), tuple(out), (), (), reverse))

    def returns(self, *values):
        f = Function("f", tuple(self.params), tuple(self.b.out), tuple(map(atom, values)))
        check(f)
        return f


def outcome(build, function, args):
    """What a call gave and did to its arguments; or the exception's builtin class and its text."""
    args = [copied(a) for a in args]
    try:
        returned = build(function)(*args)
    except Exception as error:
        return type(error).__mro__[1].__name__, str(error)
    return [*returned, *args]


def copied(a):
    """A copy with the same layout."""
    if not isinstance(a, np.ndarray) or a.flags.c_contiguous:
        return a.copy() if isinstance(a, np.ndarray) else a
    return strided(a)


def strided(a):
    """The same elements, every other one of a larger buffer."""
    view = np.zeros(tuple(2 * n + 1 for n in a.shape), a.dtype)[
        tuple(slice(0, 2 * n, 2) for n in a.shape)
    ]
    view[...] = a
    return view


def same(got, want):
    """Whether two outcomes agree: the error, or values, shapes and dtypes."""
    if isinstance(got, tuple) or isinstance(want, tuple):
        return got == want
    return all(_same_value(np.asarray(g), np.asarray(w)) for g, w in zip(got, want, strict=True))


def _same_value(g, w):
    digits = {np.dtype(np.float32): 1e-5, np.dtype(np.float16): 1e-3}.get(w.dtype, 1e-12)
    return (
        g.shape == w.shape
        and g.dtype == w.dtype
        and np.allclose(g, w, rtol=digits, atol=digits, equal_nan=True)
    )


def agree(make, args, build, *passes):
    """Whether the program after the passes, on this backend, does what its text does."""
    want = outcome(python.build, make(), args)
    function = make()
    for step in passes:
        function = step(function)
        check(function)
    return same(outcome(build, function, args), want)


# ---- random programs ----
class _Draw:
    """One random program; the same seed draws the same one."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.program = Program()
        self.b = self.program.b
        self.dtype = self.random.choice(["f64", "f64", "f32"])
        self.args, self.arrays, self.returned = [], [], []
        self.scalars = [atom(np_dtype(self.dtype).type(2.0))]

    def inputs(self):
        rank = self.random.choice([1, 1, 2, 2, 3])
        shape = [self.random.choice([0, 1, 2, 3, 3, 4]) for _ in range(rank)]
        for name in "xyz":
            own = shape[self.random.choice([0, 0, 1]) :] if name != "x" and rank > 1 else shape
            own = [1 if self.random.random() < 0.15 else n for n in own]
            layout = self.random.choice("CCS")
            dims = (1 if n == 1 else None for n in own)
            v = self.program.array(name, *dims, dtype=self.dtype, layout=layout)
            value = np.round(self.numbers.normal(size=own), 2).astype(np_dtype(self.dtype))
            if value.size and self.random.random() < 0.1:
                value.flat[0] = np.nan
            self.args.append(strided(value) if layout == "S" else value)
            self.arrays.append(v)
        self.scalars.append(self.program.scalar("s", Scalar(self.dtype)))
        self.args.append(np_dtype(self.dtype).type(0.5))

    def array(self):
        return self.random.choice(self.arrays)

    def either(self):
        return self.random.choice([self.array(), self.random.choice(self.scalars)])

    def keep(self, v):
        (self.arrays if isinstance(v.type, Array) else self.scalars).append(v)

    # ---- moves ----
    def elementwise(self):
        op = self.random.choice(["add", "sub", "mul", "maximum", "minimum", "absorb", "tanh"])
        a, c = self.array(), self.either()
        self.keep(self.b(op, a) if op == "tanh" else self.b(op, a, c))

    def select(self):
        a, c = self.array(), self.either()
        self.keep(self.b.where(self.b.gt(a, c), a, c))

    def reduction(self):
        a = self.array()
        axes = self.random.sample(range(a.type.ndim), self.random.randint(1, a.type.ndim))
        op = self.random.choice(["sum", "sum", "max", "min"])
        v = self.b(op, a, axes=tuple(sorted(axes)))
        self.returned.append(v)
        self.keep(v)

    def place(self):
        a = self.array()
        axes = self.random.choice([(self.random.randrange(a.type.ndim),), range(a.type.ndim)])
        self.returned.append(self.b(self.random.choice(["argmax", "argmin"]), a, axes=tuple(axes)))

    def store(self):
        target, value = self.array(), self.either()
        if isinstance(value.type, Array):
            if value.type.ndim > target.type.ndim:
                return
            dims = (*target.type.dims, *value.type.dims)
            self.b.check_assign(*dims, split=target.type.ndim)
            value = self.b.copy(value)
        self.b(self.random.choice(["assign", "add_to"]), target, value)

    def slice(self):
        x, b = self.array(), self.b
        n, step = x.type.dims[0], self.random.choice([1, 1, 2, -1])
        start = b.slice_start(1, n, 1) if step > 0 else b.sub(n, 1)
        stop = b.slice_stop(self.random.choice([-1, 2, 5]), n, 1) if step > 0 else -1
        length = b.trips(start, stop, step)
        spec = ("s",) + (":",) * (x.type.ndim - 1)
        self.keep(b.view(x, start, length, step, spec=spec))

    def rearrange(self):
        x = self.array()
        perm = self.random.sample(range(x.type.ndim), x.type.ndim)
        self.keep(self.b.transpose(x, perm=tuple(perm)))
        if x.type.ndim < 3:
            spec = [":"] * x.type.ndim
            spec.insert(self.random.randint(0, x.type.ndim), "n")
            self.keep(self.b.view(x, spec=tuple(spec)))

    def broadcast(self):
        x, y, b = self.array(), self.array(), self.b
        wide = b.broadcast_to(x, *map(atom, b.broadcast([x.type.dims, y.type.dims])))
        self.keep(wide)
        self.keep(b.sum_to(wide, *map(atom, x.type.dims)))

    def along(self):
        x, b = self.array(), self.b
        axis = self.random.randrange(x.type.ndim)
        self.keep(b.cumsum(x, axis=axis, reverse=self.random.random() < 0.5))
        self.keep(b.concatenate(x, b.mul(x, x), axis=axis))
        self.returned.append(b.argsort(x, axis=axis))

    def truth(self):
        b = self.b
        mask = b.gt(self.array(), 0.1)
        self.returned.append(b.nonzero(mask, b.count_nonzero(mask)))
        self.returned.append(b(self.random.choice(["any", "all"]), mask, axes=(0,)))

    def indices(self):
        x, b = self.array(), self.b
        spec = ("a",) + (":",) * (x.type.ndim - 1)
        places = b.sub(b.iota(3), self.random.choice([0, 1, 2]))
        places = b.indices(places, x.type.dims[0], axis=0)
        picked = b.gather(x, places, spec=spec)
        self.keep(picked)
        effect = self.random.choice(["scatter", "scatter_add"])
        b(effect, x, places, self.random.choice([b.mul(picked, 2.0), 1.5]), spec=spec)
        self.keep(b.take_last(x, places, spec=spec))

    def fresh(self):
        dims = map(atom, self.array().type.dims)
        self.keep(self.b.zeros(*dims, dtype=self.dtype))

    def loop(self):
        x, b = self.array(), self.b

        def body(_):
            b.add_to(x, 0.5)
            square = b.mul(x, x)
            b.sum(square, axes=tuple(range(x.type.ndim)))
            b.assign(x, b.mul(square, 0.5))

        self.program.loop(0, 2, body, reverse=self.random.random() < 0.5)

    def draw(self):
        self.inputs()
        common = [self.elementwise, self.store] * 4 + [self.select, self.reduction, self.slice] * 2
        rare = [self.place, self.rearrange, self.broadcast, self.along, self.truth, self.indices,
                self.fresh, self.loop]  # fmt: skip
        for _ in range(self.random.randint(3, 12)):
            try:
                self.random.choice(common + rare)()
            except ShapeError:
                continue
        kept = [v for v in self.arrays[3:] if self.random.random() < 0.5]
        return self.program.returns(*self.returned, *kept, *self.scalars[2:])


def random_program(seed):
    """A function that makes the program of this seed, and arguments for it."""
    drawn = _Draw(seed)
    drawn.draw()
    return (lambda: _Draw(seed).draw()), drawn.args
