"""A call of one primitive, with inputs where it is smooth."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.autodiff.build import function

ANY = (-1.5, 1.5)
POSITIVE = (0.3, 2.0)
INSIDE = (-0.8, 0.8)


@dataclass(frozen=True)
class Example:
    """`params` as for `build.function`, with the shapes' lengths: "f64[3,4]"."""

    op: str
    params: tuple[str, ...]
    static: dict[str, Any] = field(default_factory=dict)
    domains: tuple = ANY
    extra: tuple = ()  # atoms after the parameters: dims, indices

    def __str__(self) -> str:
        return f"{self.op}({', '.join(self.params)})"

    def kinds(self, dtype: str) -> list[str]:
        """The parameters in the form that `function` takes, floats in `dtype`."""
        out = []
        for k, p in enumerate(self.params):
            kind, _, lengths = p.rstrip("]").partition("[")
            rank = f"[{lengths.count(',') + 1}]" if lengths else ""
            kind = {"f64": dtype, "c128": "c64" if dtype == "f32" else "c128"}.get(kind, kind)
            out.append(f"{'abcd'[k]}:{kind}{rank}")
        return out

    def inputs(self, dtype: str = "f64", seed: int = 0) -> list[Any]:
        rng = np.random.default_rng(seed)
        domains = self.domains if isinstance(self.domains[0], tuple) else (self.domains,) * 4
        args = []
        for p, (low, high) in zip(self.params, domains, strict=False):
            kind, _, lengths = p.rstrip("]").partition("[")
            shape = tuple(map(int, lengths.split(","))) if lengths else ()
            if kind == "bool":
                value = rng.uniform(-1, 1, shape) > 0
            elif kind == "i64":
                value = rng.integers(0, 3, shape)
            elif kind == "c128":
                value = rng.uniform(low, high, shape) + 1j * rng.uniform(-1.0, 1.0, shape)
                value = value.astype({"f64": np.complex128, "f32": np.complex64}[dtype])
            else:
                value = rng.uniform(low, high, shape)
                value = value.astype({"f64": np.float64, "f32": np.float32}[dtype])
            args.append(value if shape else value[()] if isinstance(value, np.ndarray) else value)
        return args

    def program(self, dtype: str = "f64") -> Any:
        return function(lambda b, *xs: self.call(b, *xs), *self.kinds(dtype))

    def call(self, b: Any, *xs: Any) -> Any:
        extra = [e(xs) if callable(e) else e for e in self.extra]
        return b(self.op, *xs, *extra, **self.static)


class Spread(Example):
    """broadcast_to: the second parameter only lends its dims."""

    def call(self, b: Any, *xs: Any) -> Any:
        return b(self.op, xs[0], *xs[1].type.dims)


class Ordered(Example):
    """A function of an order and a variable: the constants come first."""

    def call(self, b: Any, *xs: Any) -> Any:
        return b(self.op, *self.extra, *xs)


class Complemented(Example):
    """A function of constants, a variable and 1 less the variable."""

    def call(self, b: Any, *xs: Any) -> Any:
        return b(self.op, *self.extra, *xs, b.sub(1.0, xs[0]))


def unary(domain: tuple, *names: str) -> list[Example]:
    return [Example(n, (p,), domains=domain) for n in names for p in ("f64", "f64[4]")]


def binary(*names: str, domains: tuple = ANY) -> list[Example]:
    shapes = (("f64", "f64"), ("f64[3,4]", "f64[4]"), ("f64", "f64[4]"), ("f64[3,4]", "f64"))
    return [Example(n, s, domains=domains) for n in names for s in shapes]


def dims(k: int, *axes: int) -> tuple:
    return tuple(lambda xs, a=a: xs[k].type.dims[a] for a in axes)
