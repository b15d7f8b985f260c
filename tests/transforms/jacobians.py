"""Entries of a Jacobian one by one, computed by vjp or jvp with unit seeds."""

import numpy as np
from numpy.testing import assert_allclose

import srcgrad as flow
from srcgrad.tree import mapped_by_path, paths

MODES = (flow.jacrev, flow.jacfwd)


def at(value, path):
    """The part of a structure at a path."""
    for k in path:
        named = isinstance(k, str) and not isinstance(value, dict)
        value = getattr(value, k) if named else value[k]
    return value


def units(value):
    """Each float of a structure with the structure that is zero but for a one there."""
    for path, v in paths(value, ()):
        if np.asarray(v).dtype.kind != "f":
            continue
        for index in np.ndindex(np.shape(v)):
            yield path, index, unit(value, path, index)


def unit(value, path, index):
    def leaf(place, v):
        made = np.zeros(np.shape(v))
        if place == path:
            made[index] = 1.0
        return made if isinstance(v, np.ndarray) else float(made)

    return mapped_by_path(value, (), leaf)


def by_rows(f, args):
    """The derivatives of each element of the outputs by each argument."""
    out, pull = flow.vjp(f, *args)
    for path, index, seed in units(out):
        gradients = pull(seed)
        for k, g in enumerate(gradients):
            for inner, v in paths(g, ()):
                if v is not None:
                    yield path, k, inner, (*index, ...), v


def by_columns(f, args):
    for k, argument in enumerate(args):
        for inner, index, seed in units(argument):
            _, dots = flow.jvp(f, args, tuple(seed if i == k else None for i in range(len(args))))
            for path, v in paths(dots, ()):
                if np.asarray(v).dtype.kind == "f":
                    yield path, k, inner, (..., *index), v


def held_against(elements, jacobian, positions):
    chosen = positions if isinstance(positions, tuple) else (positions,)
    found = 0
    for path, k, inner, index, v in elements:
        if k not in chosen:
            continue
        block = at(jacobian, path)
        if len(chosen) > 1:
            block = block[chosen.index(k)]
        assert_allclose(np.asarray(at(block, inner))[index], v, rtol=1e-12, atol=1e-14)
        found += 1
    assert found
