"""Communications inside differentiated code: under mpiexec, and alone without mpi4py."""

import sys

import pytest

from srcgrad.distributed import ranks
from tests.distributed import on_ranks
from tests.tools import turns

MODULE = "tests.distributed.checks_of_exchanges"
ALONE = 0
SIZES = turns.share([2, 3, ALONE, 4])  # ranks wait by polling: four on two cores take half a minute
if on_ranks.lacking():
    SIZES = [ALONE]


@pytest.mark.parametrize("size", SIZES)
def test_ranks(size: int, monkeypatch: pytest.MonkeyPatch):
    if size == ALONE:
        monkeypatch.setitem(sys.modules, "mpi4py", None)
        made = on_ranks.alone(MODULE)
    else:
        made = on_ranks.results(MODULE, size)
    assert len(made) >= 8
    ranks._world.cache_clear()


@pytest.mark.skipif(bool(on_ranks.lacking()), reason=on_ranks.lacking())
def test_a_rank_that_fails_between_messages_ends_all():
    """The others wait for its halo, not for the sum of the gradients."""
    program = "\n".join((
        "import numpy as np",
        "from srcgrad import distributed as d",
        "fails = d.rank() == 1",
        "def loss(k, u):",
        "    u = d.halo_exchange(k * u)",
        "    if fails:",
        "        raise OSError('the disk is full')",
        "    return np.sum(d.halo_exchange(u) ** 2)",
        "d.value_and_grad(loss)(1.0, np.ones(3))",
    ))  # fmt: skip
    done = on_ranks.launched(2, "-c", program, limit=60)
    assert done.returncode != 0
    assert "OSError: the disk is full" in done.stderr
