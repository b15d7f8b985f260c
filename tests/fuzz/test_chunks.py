"""The fuzzer's theme of parallel loops, and what watches chunks: both notice a wrong pass."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import altered
from srcgrad.passes import combining, dependence, pipeline
from srcgrad.passes.hoist_allocations import _HoistAllocations
from tests.fuzz import Check, Settings, run
from tests.fuzz.chunks import chunked, same_in_every_order
from tests.fuzz.runner import failures, run_one
from tests.fuzz.stages import Mismatch
from tests.tools.turns import share

ORDERS = Settings(Check(parallel="orders"), alone="parallel", largest=90)
THREADS = Settings(Check(parallel="threads"), alone="parallel", largest=90)


def test_parallel_loops_are_right():
    results = list(run(share(range(30)), ORDERS))
    assert not failures(results)
    assert sum(r.outcome.kind == "ok" for r in results) >= 0.8 * len(results)


def test_parallel_loops_are_right_on_threads():
    assert not failures(run(share(range(100, 103)), THREADS))


def test_core_programs_in_chunks():
    assert not failures(run(share(range(200, 206)), Settings(Check(parallel="orders"), themes=3)))


# ---- teeth ----
def stages(seeds):
    """Where programs fail, one after the other."""
    return (run_one(seed, ORDERS).outcome.stage for seed in seeds)


def test_a_proof_that_is_too_weak_is_noticed(monkeypatch):
    monkeypatch.setattr(dependence._Trips, "apart", lambda self, accesses: 0)
    assert any("chunks" in stage for stage in stages(range(12)))


def test_a_claim_that_a_promise_is_broken_is_noticed(monkeypatch):
    monkeypatch.setattr(combining, "OF_NUMBERS", {})
    assert "chunks, refused in chunks" in stages(range(20))


def scratch(x, w):
    y = np.zeros(len(x))
    for i in range(len(x)):
        d = w * 0.0
        d[1] = x[i]
        y[i] = d[1] * d[1] + d[0]
    return np.sum(y)


def ask(fn, *args):
    with chunked() as chunks:
        run = flow.compile(fn, target="loops", parallel=True, cache=False)
        return same_in_every_order(chunks, lambda: run(*args)), chunks.ran


def test_memory_that_chunks_share_is_noticed(monkeypatch):
    x = np.linspace(0.1, 0.9, 80)
    assert ask(scratch, x, np.ones(3)) == (pytest.approx(np.sum(x * x)), 12)
    too_far = pipeline.Pass("hoist_allocations", hoisted_too_far, last=True)
    monkeypatch.setattr(pipeline, "HOIST_INTO_CHUNKS", too_far)
    with pytest.raises(Mismatch, match="chunks that touch one element"):
        ask(scratch, x, np.ones(3))


class TooFar(_HoistAllocations):
    def loop(self, s):
        *moved, new = super().loop(altered(s, independent=False))
        yield from (*moved, altered(new, independent=s.independent))


def hoisted_too_far(function):
    return TooFar(function, AliasClasses(function), set()).function(function)
