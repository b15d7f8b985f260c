"""The sparsity of a program has every element that its derivative along a unit vector has."""

import numpy as np

import srcgrad as flow
from srcgrad.errors import ArgumentTypeError, UnsupportedError
from tests.cases import sample
from tests.checks.case_checks import Record, check
from tests.tools.structures import flatten, unflatten
from tests.tools.turns import share

SAMPLE = frozenset(share(sample(120)))
PROBES = 3  # unit vectors


@check(of=lambda c: c.dot and not c.instance, always=SAMPLE.__contains__)
def sparsity(record: Record):
    case = record.case
    case.reset()
    try:
        found = flow.sparsity(record.reference.compiled, *case.arguments(), grad_position=case.wrt)
    except (UnsupportedError, ArgumentTypeError):  # lists, lengths, complex numbers
        return
    chosen = tuple(case.args[i] for i in case.wrt)
    size = flatten(chosen).size
    assert found.shape[1] == size
    for k in np.random.default_rng(size).permutation(size)[:PROBES]:
        along = unflatten(np.eye(1, size, k)[0], chosen, keep_others=False)
        _, dots = record.reference.jvp(case.arguments(), along)
        missing = (flatten(dots) != 0) & ~found[:, [k]].toarray()[:, 0]
        assert not missing.any(), (k, np.flatnonzero(missing))
