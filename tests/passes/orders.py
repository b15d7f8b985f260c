"""Random programs with the trips of marked loops in every order."""

import numpy as np

import srcgrad as flow
from tests.fuzz import generate
from tests.fuzz.chunks import Chunks, same_in_every_order
from tests.fuzz.inputs import point
from tests.fuzz.source import copied, loaded
from tests.tools.turns import share


def random_programs_agree(chunks: Chunks, seeds, compiled):
    """Random programs and their gradients, by functions that `compiled` makes, in every order."""
    used = 0
    for seed in share(seeds):
        drawn = generate(seed)
        with loaded(drawn.source(), f"{compiled.__module__} {seed}") as names:
            fn, at = names["f"], point(drawn)

            def call(fn=fn, at=at):
                args = copied(at.args)
                value = compiled(fn)(*args)
                if isinstance(value, tuple) or not at.positions:
                    return value, args
                grad = flow.grad(compiled(fn), grad_position=at.positions)
                return value, args, grad(*copied(at.args))

            try:
                with np.errstate(all="ignore"):
                    same_in_every_order(chunks, call)
            except (flow.errors.SrcgradError, ArithmeticError, ValueError, IndexError):
                continue
            used += 1
    assert used >= 0.5 * len(share(seeds)) and chunks.ran >= 3 * len(share(seeds))
