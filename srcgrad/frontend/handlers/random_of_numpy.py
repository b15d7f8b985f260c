"""Draws by NumPy's generators. Imported when one is first met."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import MT19937, PCG64, PCG64DXSM, SFC64, Generator, Philox, RandomState

from srcgrad.frontend.formulas.registry import OfTheRun
from srcgrad.frontend.handlers.draws import (
    around,
    as_python,
    captured_generator,
    dims_with,
    drawn,
    made,
    method,
    operand,
    parameter,
    refuse_negative,
    reseed,
    scaled,
    size_of,
)
from srcgrad.frontend.handlers.elementwise import scalar_type, to_out
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import Record, describe, is_array

OF_BOTH = (Generator, RandomState)


def _both(name: str) -> tuple[Any, ...]:
    return tuple(getattr(cls, name) for cls in OF_BOTH)


# ---- generators ----
@implements(np.random.default_rng)
def default_rng(it: Interpreter, node: Node, seed: Any = None) -> Any:
    if isinstance(seed, Record) and seed.cls is Generator:
        return seed
    if isinstance(seed, Record) and seed.cls in KNOWN:
        return around(it, node, Generator, seed)
    return made(it, node, Generator, "default_rng", seed)


@implements(Generator)
def generator(it: Interpreter, node: Node, bit_generator: Any) -> Record:
    if not isinstance(bit_generator, Record) or bit_generator.cls not in KNOWN:
        it.refuse(
            node, f"Generator() takes a source of bits, not {describe(bit_generator)}",
            "use np.random.default_rng(seed)", AttributeError,
        )  # fmt: skip
    return around(it, node, Generator, bit_generator)


def _source(cls: type) -> None:
    @implements(cls)
    def source(it: Interpreter, node: Node, seed: Any = None) -> Record:
        return made(it, node, cls, cls.__name__, seed)


SOURCES = (MT19937, PCG64, PCG64DXSM, SFC64)
KNOWN = (*SOURCES, Philox)  # which takes a key as well
for _cls in SOURCES:
    _source(_cls)


@implements(RandomState)
def random_state(it: Interpreter, node: Node, seed: Any = None) -> Any:
    return made(it, node, RandomState, "RandomState", seed)


@method(RandomState.seed)
def _seed(it: Interpreter, node: Node, self: Any, seed: Any = None) -> None:
    reseed(it, node, self, seed)


@implements(np.random.seed)
def _seed_global(it: Interpreter, node: Node, seed: Any = None) -> None:
    reseed(it, node, captured_generator(it, node, np.random.mtrand._rand), seed)


# ---- standard distributions ----
def _standard(
    it: Interpreter, node: Node, owner: Record, name: str, size: Any, dtype: Any = None,
    out: Any = None,
) -> Any:  # fmt: skip
    kind = "f64" if dtype is None else scalar_type(it, node, dtype).dtype
    if kind not in ("f32", "f64"):
        said = f"Unsupported dtype dtype('{np.dtype(dtype).name}') for {name}"
        it.wrong(node, said, TypeError)
    dims = size_of(it, node, size)
    if out is not None:
        if not is_array(out) or out.type.dtype != kind:
            it.wrong(node, "Supplied output array has the wrong type", TypeError)
        if dims is None:
            dims = list(out.type.dims)
    return to_out(it, node, drawn(it, owner, ("standard", name), dims, dtype=kind), out)


def _of_generator(name: str) -> None:
    @method(getattr(Generator, name))
    def draw(
        it: Interpreter, node: Node, self: Any, size: Any = None, dtype: Any = None, out: Any = None
    ) -> Any:
        return _standard(it, node, self, name, size, dtype, out)


def _of_state(member: str, name: str) -> None:
    @method(getattr(RandomState, member))
    def draw(it: Interpreter, node: Node, self: Any, size: Any = None) -> Any:
        return _standard(it, node, self, name, size)


for _name in ("random", "standard_normal", "standard_exponential"):
    _of_generator(_name)
for _name in ("random", "random_sample"):
    _of_state(_name, "random_sample")
for _name in ("standard_normal", "standard_exponential"):
    _of_state(_name, _name)


@implements(np.random.sample, np.random.ranf)
def _sample(it: Interpreter, node: Node, size: Any = None) -> Any:
    owner = captured_generator(it, node, np.random.mtrand._rand)
    return _standard(it, node, owner, "random_sample", size)


@method(RandomState.rand)
def _rand(it: Interpreter, node: Node, self: Any, *dims: Any) -> Any:
    return _standard(it, node, self, "random_sample", dims or None)


@method(RandomState.randn)
def _randn(it: Interpreter, node: Node, self: Any, *dims: Any) -> Any:
    return _standard(it, node, self, "standard_normal", dims or None)


# ---- with parameters ----
def _bound(
    defaults: dict[str, Any], given: Sequence[Any], named: dict[str, Any]
) -> tuple[list[Any], Any]:
    """The parameters of a call in their order, and its size: NumPy's signature has bound them."""
    names = [*defaults, "size"]
    values = {**defaults, "size": None, **dict(zip(names, given, strict=False)), **named}
    return [values[n] for n in defaults], values["size"]


def _scaled(name: str, standard: tuple[str, str], **defaults: Any) -> None:
    """A distribution that is a standard one, scaled by its last parameter and shifted."""

    @method(*_both(name))
    def draw(it: Interpreter, node: Node, /, self: Any, *given: Any, **named: Any) -> Any:
        values, size = _bound(defaults, given, named)
        values = [parameter(it, node, v, n) for v, n in zip(values, defaults, strict=True)]
        refuse_negative(it, node, values[-1], [*defaults][-1])
        dims = dims_with(it, node, size, *values)
        z = drawn(it, self, standard, dims)
        if len(values) == 1:
            return as_python(it, it.call_numpy(np.multiply, [values[0], z], {}, node))
        return as_python(it, scaled(it, node, values[0], values[1], z))


_scaled("normal", ("standard", "standard_normal"), loc=0.0, scale=1.0)
_scaled("exponential", ("standard", "standard_exponential"), scale=1.0)
_scaled("rayleigh", ("called", "rayleigh"), scale=1.0)
for _name in ("laplace", "gumbel", "logistic"):
    _scaled(_name, ("called", _name), loc=0.0, scale=1.0)


def _by_numpy(name: str, dtype: str, **defaults: Any) -> None:
    """A distribution without derivatives by its parameters."""

    @method(*_both(name))
    def draw(it: Interpreter, node: Node, /, self: Any, *given: Any, **named: Any) -> Any:
        values, size = _bound(defaults, given, named)
        values = [operand(it, node, v, n) for v, n in zip(values, defaults, strict=True)]
        dims = dims_with(it, node, size, *values)
        return drawn(it, self, ("called", name), dims, *values, dtype=dtype)


for _name, _defaults in {
    "beta": {"a": None, "b": None},
    "chisquare": {"df": None},
    "f": {"dfnum": None, "dfden": None},
    "lognormal": {"mean": 0.0, "sigma": 1.0},
    "noncentral_chisquare": {"df": None, "nonc": None},
    "noncentral_f": {"dfnum": None, "dfden": None, "nonc": None},
    "pareto": {"a": None},
    "power": {"a": None},
    "standard_cauchy": {},
    "standard_t": {"df": None},
    "triangular": {"left": None, "mode": None, "right": None},
    "vonmises": {"mu": None, "kappa": None},
    "wald": {"mean": None, "scale": None},
    "weibull": {"a": None},
}.items():
    _by_numpy(_name, "f64", **_defaults)
for _name, _defaults in {
    "binomial": {"n": None, "p": None},
    "geometric": {"p": None},
    "hypergeometric": {"ngood": None, "nbad": None, "nsample": None},
    "logseries": {"p": None},
    "negative_binomial": {"n": None, "p": None},
    "poisson": {"lam": 1.0},
    "zipf": {"a": None},
}.items():
    _by_numpy(_name, "i64", **_defaults)


def _vectors(
    it: Interpreter, node: Node, owner: Record, name: str, size: Any, like: Any, *values: Any,
    dtype: str = "f64",
) -> Any:  # fmt: skip
    """Vectors as long as `like`; without derivatives by the parameters."""
    dims = [*(size_of(it, node, size) or []), like.type.dims[-1]]
    return drawn(it, owner, ("vectors", name), dims, *values, dtype=dtype)


def _array(it: Interpreter, node: Node, v: Any, name: str, rank: int) -> Any:
    v = it.call(np.asarray, [v], {}, node)
    if not is_array(v) or v.type.ndim != rank:
        it.wrong(node, f"{name} has not {rank} axes: {describe(v)}", ValueError)
    return parameter(it, node, v, name)


@method(*_both("multivariate_normal"))
def multivariate_normal(
    it: Interpreter, node: Node, self: Any, mean: Any, cov: Any, size: Any = None
) -> Any:
    mean, cov = _array(it, node, mean, "mean", 1), _array(it, node, cov, "cov", 2)
    return _vectors(it, node, self, "multivariate_normal", size, mean, mean, cov)


@method(*_both("dirichlet"))
def dirichlet(it: Interpreter, node: Node, self: Any, alpha: Any, size: Any = None) -> Any:
    alpha = _array(it, node, alpha, "alpha", 1)
    return _vectors(it, node, self, "dirichlet", size, alpha, alpha)


@method(*_both("multinomial"))
def multinomial(
    it: Interpreter, node: Node, self: Any, n: Any, pvals: Any, size: Any = None
) -> Any:
    n = operand(it, node, n, "n")
    if is_array(n):
        it.refuse(node, "multinomial() takes one number of trials", "draw in a loop")
    pvals = _array(it, node, pvals, "pvals", 1)
    return _vectors(it, node, self, "multinomial", size, pvals, n, pvals, dtype="i64")


@method(*_both("gamma"))
def gamma(
    it: Interpreter, node: Node, self: Any, shape: OfTheRun, scale: Any = 1.0, size: Any = None
) -> Any:
    """scale * a standard one, which has no derivative by its shape"""
    shape, scale = parameter(it, node, shape, "shape"), parameter(it, node, scale, "scale")
    refuse_negative(it, node, shape, "shape")
    refuse_negative(it, node, scale, "scale")
    dims = dims_with(it, node, size, shape, scale)
    g = drawn(it, self, ("called", "standard_gamma"), dims, shape)
    return as_python(it, it.call_numpy(np.multiply, [scale, g], {}, node))


@method(*_both("uniform"))
def uniform(
    it: Interpreter, node: Node, self: Any, low: Any = 0.0, high: Any = 1.0, size: Any = None
) -> Any:
    """low + (high - low) * u"""
    low, high = parameter(it, node, low, "low"), parameter(it, node, high, "high")
    width = it.call_numpy(np.subtract, [high, low], {}, node)
    finite = it.call_numpy(np.all, [it.call_numpy(np.isfinite, [width], {}, node)], {}, node)
    endless = it.call_numpy(np.logical_not, [finite], {}, node)
    if self.cls is Generator:
        it.fail_if(endless, "OverflowError", "high - low range exceeds valid bounds")
        refuse_negative(it, node, width, "high - low")
        name = "random"
    else:
        it.fail_if(endless, "OverflowError", "Range exceeds valid bounds")
        name = "random_sample"
    dims = dims_with(it, node, size, low, high)
    u = drawn(it, self, ("standard", name), dims)
    return as_python(it, scaled(it, node, low, width, u))
