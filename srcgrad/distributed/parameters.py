"""`broadcast`: the parameters of one rank on all of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.distributed.agreement import Offer, agreed, attempt, facts_of
from srcgrad.distributed.flat import taken_apart
from srcgrad.distributed.ranks import group
from srcgrad.eager import Tensor
from srcgrad.eager.inplace import check_memory, write
from srcgrad.errors import ArgumentValueError
from srcgrad.nn.module import Module
from srcgrad.tree import filled, leaves


def broadcast(params: Any, comm: Any = None, root: int = 0) -> Any:
    """The parameters of rank `root` on every rank, in the structure that each rank passes.

    `params`: a structure of arrays, numbers and tensors, or a module, whose parameters and buffers
    are meant. Tensors are written to, as a module holds them, and returned; of arrays and numbers
    there are new ones. Ranks whose structures, shapes or dtypes differ raise a RankError.

    >>> import numpy as np
    >>> from srcgrad import distributed
    >>> distributed.broadcast({"w": np.ones(2), "b": 0.5})
    {'w': array([1., 1.]), 'b': 0.5}
    """
    ranks = group(comm)
    if not 0 <= root < ranks.size:
        raise ArgumentValueError(f"root={root}, and there are {ranks.size} ranks")
    held = dict(_state(params)) if isinstance(params, Module) else params
    taken, error = attempt(lambda: _checked(held))
    offer = None if taken is None else Offer(taken[1], 1, None)
    agreed(ranks, facts_of(broadcast, {"root": root}), offer, error)
    assert taken is not None
    template, numbers, arrays = taken
    tensors = [leaf for leaf in leaves(held) if leaf is not None]
    made = []
    for number, a, leaf in zip(numbers, arrays, tensors, strict=True):
        own = np.array(a, order="C")  # of a tensor that is a view too
        ranks.array_of_root(own, root)
        if number.form == "tensor":
            write(leaf, own)
            made.append(leaf)
        else:
            made.append(number.made(own))
    return params if isinstance(params, Module) else filled(template, made)


def _state(module: Module) -> Any:
    yield from module.named_parameters()
    yield from ((n, b) for n, b in module.named_buffers() if b is not None)


def _checked(params: Any) -> tuple:
    taken = taken_apart(params, "params", "biufc")
    for leaf in leaves(params):
        if isinstance(leaf, Tensor):
            check_memory(leaf)
    return taken
