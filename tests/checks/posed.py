"""A case is well posed under NumPy, without srcgrad: what it is compared with can be computed."""

import numpy as np

from tests.checks.case_checks import Record, check, never
from tests.tools.oracles import differences, directions, total
from tests.tools.structures import flatten, restrided, same


@check(always=never, rotates=True)
def well_posed(record: Record):
    """Finite, the same twice, differentiable where differences are to be taken."""
    case = record.case
    out = case.plain(*case.args)
    assert np.all(np.isfinite(flatten(out)))
    assert same(out, case.plain(*case.args))
    if case.strided:
        assert np.allclose(flatten(case.plain(*restrided(case.args, -2))), flatten(out))
    size = flatten([case.args[i] for i in case.wrt]).size
    if case.expected is not None:
        assert flatten(case.expected).size == size
    if not case.differences or size == 0:
        return
    summed = lambda *args: (total(case.plain(*args)),)
    along = directions(size)
    want, error = differences(summed, case.args, case.wrt, along)
    scale = np.max(np.abs(want)) + 1e-3
    assert np.all(error <= 1e-6 * scale), "central differences do not converge"
    for side in (1, -1):
        # Central differences converge at a kink too; one-sided ones then disagree.
        one, error = differences(summed, case.args, case.wrt, along, side)
        assert np.all(np.abs(one - want) <= 1e-4 * scale), "a kink"
