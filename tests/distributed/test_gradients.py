"""Gradients over ranks: under mpiexec, and alone with and without mpi4py."""

import sys
import time
from pathlib import Path

import numpy as np
import pytest

from srcgrad import distributed
from srcgrad.distributed import ranks
from tests.distributed import on_ranks
from tests.tools import turns

MODULE = "tests.distributed.checks_of_gradients"
SIZES = sorted({2, *turns.share([1, 3, 4, 3])})
needs_mpi = pytest.mark.skipif(bool(on_ranks.lacking()), reason=on_ranks.lacking())


@pytest.fixture(scope="module")
def alone():
    """The checks on this process, without mpi4py."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "mpi4py", None)
        yield on_ranks.alone(MODULE)
    ranks._world.cache_clear()


def test_alone(alone):
    assert len(alone) > 12


@needs_mpi
@pytest.mark.parametrize("size", SIZES)
def test_ranks(size: int, alone):
    """Each check on every rank, and what it returned on any number of ranks."""
    found = on_ranks.results(MODULE, size)
    assert found.keys() == alone.keys()
    for name, line in found.items():
        assert line["same"], name
        assert line["made"] == alone[name], name


@needs_mpi
@pytest.mark.parametrize("where", ["outside", "inside"])
def test_a_rank_that_ends_by_an_exception_ends_all(where: str):
    program = "\n".join((
        "import numpy as np",
        "from srcgrad import distributed",
        "f = distributed.grad(lambda w: w * w)",
        "f(1.0)",
        f"if distributed.rank() == 1 and {where == 'outside'}:",
        "    raise OSError('the disk is full')",
        "rank = distributed.rank()",
        "def fails(w):",
        "    if rank == 1:",
        "        raise OSError('the disk is full')",
        "    return w",
        "distributed.grad(fails)(1.0)",
    ))  # fmt: skip
    done = on_ranks.launched(2, "-c", program, limit=30)
    assert done.returncode != 0
    assert "OSError: the disk is full" in done.stderr


@needs_mpi
@pytest.mark.parametrize("dies", [0, 1])
def test_a_rank_that_is_killed_ends_all(dies: int, tmp_path: Path):
    """mpiexec ends those that wait for its halo, or for its gradient."""
    file = tmp_path / "time"
    program = "\n".join((
        "import os, pathlib, signal, time",
        "import numpy as np",
        "from srcgrad import distributed as d",
        f"neighbours = d.halo_exchange if {dies} else np.copy",
        "step = d.value_and_grad(lambda k, u: np.sum(neighbours(k * u)))",
        "step(1.0, np.ones(3))",
        f"if d.rank() == {dies}:",
        "    time.sleep(0.3)",
        f"    pathlib.Path({str(file)!r}).write_text(str(time.time()))",
        "    os.kill(os.getpid(), signal.SIGKILL)",
        "step(2.0, np.ones(3))",
        "print('not reached')",
    ))  # fmt: skip
    done = on_ranks.launched(3, "-c", program, limit=90)
    assert time.time() - float(file.read_text()) < 15.0
    assert done.returncode != 0
    assert "signal 9" in done.stdout + done.stderr
    assert "not reached" not in done.stdout


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda f: distributed.grad(f, reduce="max"), 'reduce must be "sum" or "mean"'),
        (lambda f: distributed.grad(f, shares=True), "there is none"),
        (lambda f: distributed.grad(f, deterministic=True), "each rank needs all rows"),
        (lambda f: distributed.grad(f, batch=1, deterministic=-1), "number of pieces"),
        (lambda f: distributed.grad(f, comm="world"), "must be a communicator of mpi4py, not str"),
        (lambda f: distributed.hvp(f, batch=-1), "counts arguments from the first"),
        (lambda f: distributed.grad(f, batch=2)(1.0, np.ones(2)), "called with 2 arguments"),
        (lambda f: distributed.grad(f, batch=1)(1.0, 2.0), "argument 1 is divided.*no rows"),
        (lambda f: distributed.grad(f, batch=1)(1.0, np.array(2.0)), "has no axis"),
        (lambda f: distributed.grad(f, batch=(0, 1))(np.ones(3), np.ones(2)), "2 rows and.* 3"),
        (lambda f: distributed.value_and_grad(lambda w: (w, 3))(1.0), "of int64: only floats"),
        (lambda f: distributed.broadcast({"w": "text"}), "type str"),
        (lambda f: distributed.broadcast(1.0, root=3), "root=3, and there are 1 ranks"),
        (lambda f: distributed.DistributedOptimizer(f), "no optimizer"),
    ],
)
def test_wrong_arguments(make, text):
    with pytest.raises((TypeError, ValueError), match=text):
        make(lambda w, x: np.sum(w * x))
