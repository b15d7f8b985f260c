"""Second order: the gradient's product with a fixed direction, differentiated again.

`g(x, w, ...) = <grad f, r>` is itself a program, in plain source, that calls the first derivative.
Its reverse is compared with its forward mode (forward over reverse) and with differences of the
first-order gradient, which the caller has already found to be right at the point.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tests.fuzz.inputs import Point, Values, dot, magnitude
from tests.fuzz.reference import NotSmooth, slope
from tests.fuzz.source import copied, loaded
from tests.fuzz.stages import Unusable, demand
from tests.fuzz.subject import Subject
from tests.fuzz.trial import Trial

_PRODUCT = """\
import numpy as np


def g({params}, {moves}):
    {parts} = df({params})
    return {total}
"""


# Several results, reduced to one number in a program of their own.
_REDUCED = """\
import numpy as np


def f({params}):
    {outs}, = several({params})
    return {total}
"""


def second_order(
    compiled: Any, gradient: Values, trial: Trial, subject: Subject, target: str
) -> None:
    """Raise Mismatch where a second derivative of the program is wrong."""
    with reduced(compiled, trial, subject, target) as one:
        _second_order(one, gradient, trial.at, trial.program.params, subject, target)


@contextmanager
def reduced(compiled: Any, trial: Trial, subject: Subject, target: str) -> Iterator[Any]:
    """The program reduced to one number: by the adjoints if it has several results."""
    adjoints, params = trial.reduction.adjoints, trial.program.params
    if adjoints is None:
        yield compiled
        return
    constants = {f"c{k}": c for k, c in enumerate(adjoints)}
    outs = ", ".join(f"o{k}" for k in range(len(adjoints)))
    total = " + ".join(product(f"c{k}", f"o{k}", c) for k, c in enumerate(adjoints))
    text = _REDUCED.format(params=", ".join(params), outs=outs, total=total)
    with loaded(text, "reduced", several=compiled, **constants) as namespace:
        yield subject.compile(namespace["f"], target=target)


def _second_order(
    compiled: Any,
    gradient: Values,
    at: Point,
    params: tuple[str, ...],
    subject: Subject,
    target: str,
) -> None:
    rng = np.random.default_rng(2)
    r, u = at.direction(rng), at.direction(rng)
    df = subject.grad(compiled, grad_position=at.positions)
    moved = [params[k] for k in at.positions]
    text = _PRODUCT.format(
        params=", ".join(params),
        moves=", ".join(f"r{v}" for v in moved),
        parts=", ".join(f"g{v}" for v in moved),
        total=" + ".join(product(f"g{v}", f"r{v}", part) for v, part in zip(moved, r, strict=True)),
    )
    with loaded(text, "second order", df=df) as namespace:
        g = subject.compile(namespace["g"], target=target)
        args = (*at.args, *r)
        value = float(g(*copied(args)))
        demand(_near(value, dot(gradient, r), magnitude(gradient, r)), "value", value, gradient)
        hessian = subject.grad(g, grad_position=at.positions)(*copied(args))
        tangents = (*at.tangents(u), *(0.0 * part for part in r))
        rate = float(subject.jvp(g, copied(args), tangents)[1])
        got = dot(hessian, u)
    demand(_near(got, rate, magnitude(hessian, u)), "reverse against forward", got, rate)
    try:
        want = slope(at.along(lambda *a: dot(df(*a), r), u))
    except NotSmooth as error:
        raise Unusable(f"second order: {error}") from None
    demand(not want.differs(got, abs(value)), "reverse against differences", got, want)


def product(one: str, other: str, like: Any) -> str:
    """The text of `inputs.dot` of two names."""
    complex_ = np.iscomplexobj(like)
    return f"np.sum(np.real(np.conj({one}) * {other}))" if complex_ else f"np.sum({one} * {other})"


def _near(a: float, b: float, scale: float) -> bool:
    return abs(a - b) <= 1e-10 * scale + 1e-12 * max(1.0, abs(b))
