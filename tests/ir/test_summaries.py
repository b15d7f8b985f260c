"""Facts of statements found once: what walks over their blocks find."""

import random

import pytest

from srcgrad.ir.summaries import FreeVariables, Summaries
from srcgrad.ir.walk import blocks, free_variables, walk
from tests.backends.test_random_frames import Draw


@pytest.mark.parametrize("seed", range(6))
def test_free_variables(seed):
    function = Draw(seed).function()
    statements = walk(function.body)
    random.Random(seed).shuffle(statements)
    free = FreeVariables()
    for s in statements:
        assert list(free.of[s]) == free_variables((s,))
        for block in blocks(s):
            assert free.of_block(block) == free_variables(block)
    assert free.of_block(function.body) == free_variables(function.body)


def test_each_statement_is_looked_at_once():
    function = Draw(3).function()
    seen = []
    size = Summaries(lambda s, inner: seen.append(s) or 1 + sum(inner))
    for s in walk(function.body):
        assert size[s] == len(walk((s,)))
    assert len(seen) == len({*seen}) == len(walk(function.body))
