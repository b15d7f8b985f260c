"""Runs IR by the reference backend and compares its tangents with differences."""

from typing import Any

import numpy as np

from srcgrad.autodiff.forward import jvp
from srcgrad.backends.python import build
from srcgrad.ir.check import check
from srcgrad.ir.nodes import Function
from srcgrad.ir.types import float_type
from srcgrad.primitives import REGISTRY
from tests.tools.oracles import derivative


def floats(values: Any) -> np.ndarray:
    """All floats of some scalars and arrays, as one vector of f64; two of a complex number."""
    parts = [
        np.ravel(np.asarray(v, np.complex128)).view(np.float64)
        if np.iscomplexobj(v)
        else np.ravel(np.asarray(v, np.float64))
        for v in values
    ]
    return np.concatenate(parts) if parts else np.zeros(0)


def positions(f: Function) -> tuple[int, ...]:
    return tuple(k for k, p in enumerate(f.params) if float_type(p.type))


def random_tangents(args: Any, which: tuple[int, ...], seed: int = 0) -> list:
    rng = np.random.default_rng(seed)
    made = []
    for k in which:
        value = rng.uniform(-1.0, 1.0, np.shape(args[k]))
        if np.iscomplexobj(args[k]):
            value = value + 1j * rng.uniform(-1.0, 1.0, np.shape(args[k]))
        made.append(_like(value, args[k]))
    return made


def _like(value: Any, like: Any) -> Any:
    if isinstance(like, np.ndarray):
        return np.asarray(value, like.dtype)
    return type(like)(value)


def copies(args: Any) -> list:
    return [a.copy() if isinstance(a, np.ndarray) else a for a in args]


def outputs(f: Function, args: Any, wrt: tuple[int, ...]) -> np.ndarray:
    """The float returns, and what the parameters `wrt` hold afterwards."""
    args = copies(args)
    out = build(f)(*args)
    kept = [o for o, a in zip(out, f.returns, strict=True) if float_type(a.type)]
    return floats([*kept, *(args[k] for k in wrt)])


def tangents(f: Function, args: Any, wrt: tuple[int, ...], ts: Any) -> np.ndarray:
    """The tangents of the float returns and of what the parameters `wrt` hold afterwards."""
    g = jvp(f, wrt, REGISTRY)
    check(g)
    args, ts = copies(args), copies(ts)
    out = build(g)(*args, *ts)
    return floats([*out[len(f.returns) :], *ts])


def differences(
    f: Function, args: Any, wrt: tuple[int, ...], ts: Any
) -> tuple[np.ndarray, np.ndarray]:
    def moved(h: float) -> np.ndarray:
        new = copies(args)
        for k, t in zip(wrt, ts, strict=True):
            new[k] = new[k] + h * t
        return outputs(f, new, wrt)

    return derivative(moved)


def check_forward(
    f: Function, *args: Any, wrt: tuple[int, ...] | None = None, order: int = 2
) -> None:
    """Tangents against differences, of the tangents too; the primal is unchanged."""
    check(f)
    wrt = positions(f) if wrt is None else wrt
    ts = random_tangents(args, wrt)
    got = tangents(f, args, wrt, ts)
    want, error = differences(f, args, wrt, ts)
    allowed = 50 * error + 1e-7 * (1.0 + np.abs(want))
    assert np.all(np.abs(got - want) <= allowed), f"{got} is not {want}"
    g = jvp(f, wrt, REGISTRY)
    if order > 1:
        check_forward(g, *args, *ts, order=order - 1)
