"""scipy.stats: densities and distribution functions, by formulae with location and scale.

Imported when a function of SciPy is met in a program that has imported scipy.stats.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

from srcgrad.frontend.formulas import (  # noqa: F401 (some register others)
    correlations,
    frozen_distributions,
    means,
    moments,
    ranks,
    several_variables,
)
from srcgrad.frontend.formulas import densities as formulas
from srcgrad.frontend.formulas.distributions import CONTINUOUS, DISCRETE, Distribution
from srcgrad.frontend.guards import Path, attribute
from srcgrad.frontend.handlers.registry import OwnSource, followed, follows_as, implements
from srcgrad.frontend.interpreter import Interpreter, Node

# the methods by SciPy's names, each with the function of the standard form that it needs
OF_CONTINUOUS = {
    "logpdf": (formulas.log_density, "log"), "pdf": (formulas.pdf, "log"),
    "cdf": (formulas.cdf, "cdf"), "sf": (formulas.sf, "cdf"), "ppf": (formulas.ppf, "ppf"),
    "logcdf": (formulas.logcdf, "cdf"), "logsf": (formulas.logsf, "cdf"),
    "isf": (formulas.isf, "ppf"),
}  # fmt: skip
OF_DISCRETE = {
    "logpmf": (formulas.log_probability, "log"), "pmf": (formulas.pmf, "log"),
    "cdf": (formulas.discrete_cdf, "cdf"), "sf": (formulas.discrete_sf, "cdf"),
}  # fmt: skip


# those without a number
OF_SHAPES = {"mean": moments.mean, "var": moments.var, "std": moments.std}
DEFAULTS = {"loc": 0.0, "scale": 1.0}


def _method(
    d: Distribution, formula: Callable, others: tuple[str, ...], first: tuple[str, ...]
) -> Callable:
    """The handler of a method: its arguments are `first`, the shapes, location and scale."""
    names = (*first, *d.shapes, *others)
    after = "arguments after the first" if first else "arguments"

    def handler(it: Interpreter, node: Node, /, *args: Any, **named: Any) -> Any:
        given = dict(zip(names, args, strict=False))
        twice = given.keys() & named.keys()
        unknown = named.keys() - set(names)
        if len(args) > len(names) or twice or unknown:
            listed = ", ".join(names[len(first) :])
            it.refuse(node, f"the {after} are {listed}", like=TypeError)
        values = {**{n: DEFAULTS[n] for n in others}, **given, **named}
        missing = [n for n in names if n not in values]
        if missing:
            it.refuse(node, f"the argument '{missing[0]}' is missing", like=TypeError)
        for n in (*d.shapes, *others):
            if isinstance(values[n], list | tuple):
                values[n] = it.call_numpy(np.array, [values[n]], {}, node)
        shapes = tuple(values[n] for n in d.shapes)
        rest = [values[n] for n in others]
        return it.call(formula, [d, *(values[n] for n in first), shapes, *rest], {}, node)

    return handler


def _first(method: Callable) -> tuple[str, ...]:
    """The name of the first parameter: x, k or q."""
    return tuple(inspect.signature(method).parameters)[:1]


def _by_source(of: Any, name: str) -> Callable:
    """The handler of a function of the standard form, which a distribution's class defines."""
    function = vars(type(of))[name]
    source = OwnSource(function, function)
    return lambda it, node, /, *args, **named: source(it, node, of, *args, **named)


for _d in CONTINUOUS:
    for _name, (_formula, _needs) in OF_CONTINUOUS.items():
        if getattr(_d, _needs) is not None:
            _of = getattr(_d.of, _name)
            implements(_of)(_method(_d, _formula, ("loc", "scale"), _first(_of)))
for _d in DISCRETE:
    for _name, (_formula, _needs) in OF_DISCRETE.items():
        if getattr(_d, _needs) is not None:
            _of = getattr(_d.of, _name)
            implements(_of)(_method(_d, _formula, ("loc",), _first(_of)))
for _d in CONTINUOUS:
    for _name in (f"_{n}" for n in OF_CONTINUOUS if f"_{n}" in vars(type(_d.of))):
        implements(getattr(_d.of, _name))(_by_source(_d.of, _name))
for _d in (*CONTINUOUS, *DISCRETE):
    _others = ("loc", "scale") if _d in CONTINUOUS else ("loc",)
    if _d.of in moments.MOMENTS:
        for _name, _formula in OF_SHAPES.items():
            implements(getattr(_d.of, _name))(_method(_d, _formula, _others, ()))
    if _d in CONTINUOUS and _d.ppf is not None:
        implements(_d.of.median)(_method(_d, moments.median, _others, ()))
for _f, _formula in {
    stats.multivariate_normal.logpdf: several_variables.multivariate_normal_logpdf,
    stats.multivariate_normal.pdf: several_variables.multivariate_normal_pdf,
    stats.multivariate_normal.entropy: several_variables.multivariate_normal_entropy,
    stats.dirichlet.logpdf: several_variables.dirichlet_logpdf,
    stats.dirichlet.pdf: several_variables.dirichlet_pdf,
    stats.zscore: formulas.zscore,
    stats.rankdata: ranks.rankdata,
}.items():
    implements(_f)(followed(_formula))


# ---- distributions whose arguments are given first ----
def _freeze(of: Any) -> Callable:
    def handler(it: Interpreter, node: Node, /, *args: Any, **named: Any) -> Any:
        return it.call(frozen_distributions.Frozen, [of, args, named], {}, node)

    return handler


_OF_CLASS = {type(d.of): d.of for d in (*CONTINUOUS, *DISCRETE)}
for _of in _OF_CLASS.values():
    implements(_of)(_freeze(_of))
for _of, _frozen in (
    (stats.multivariate_normal, frozen_distributions.FrozenNormal),
    (stats.dirichlet, frozen_distributions.FrozenDirichlet),
):
    implements(_of)(followed(_frozen))
follows_as(
    type(stats.multivariate_normal()), frozen_distributions.FrozenNormal, mean="mean", cov="cov",
    allow_singular="allow_singular",
)  # fmt: skip
follows_as(type(stats.dirichlet([1.0])), frozen_distributions.FrozenDirichlet, alpha="alpha")


def _held(it: Interpreter, owner: Any, part: str, node: Node) -> Any:
    """The arguments that a frozen distribution holds, read at each call."""
    return it.captures.take(it, Path("frozen", owner, (attribute(part),)), part, node)


def _of_frozen(name: str) -> Callable:
    """A method of a distribution that was frozen outside, with what it holds as arguments."""

    def handler(it: Interpreter, node: Node, owner: Any, *x: Any) -> Any:
        of = _OF_CLASS.get(type(owner.dist))
        if of is None:
            it.refuse(node, f"{name}() of {owner.dist.name} is not supported")
        if len(x) != (name not in ALONE):
            it.wrong(node, f"{name}() takes {int(name not in ALONE)} arguments", TypeError)
        it.captures.inlined.append(owner)  # its id stays its own
        args, named = (_held(it, owner, part, node) for part in ("args", "kwds"))
        return it.call(getattr(of, name), [*x, *args], dict(named), node)

    return handler


ALONE = (*OF_SHAPES, "median")
_FROZEN = {
    getattr(type(of), name): name
    for of, names in ((stats.norm(), OF_CONTINUOUS), (stats.poisson(1.0), OF_DISCRETE))
    for name in (*names, *ALONE)
}
for _f, _name in _FROZEN.items():
    implements(_f)(_of_frozen(_name))
