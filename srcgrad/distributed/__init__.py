"""`flow.distributed`: gradients over several processes, by MPI through mpi4py.

Every process (a rank) runs the same program on its share of the data, and all have the same result.
Without mpi4py, or on one rank, the same program runs alone.
"""

from srcgrad.distributed.chunks import over_chunks
from srcgrad.distributed.exchanges import (
    allreduce,
    bcast,
    gather,
    halo_exchange,
    recv,
    reduce,
    scatter,
    send,
    sendrecv,
)
from srcgrad.distributed.gradients import grad, hvp, value_and_grad
from srcgrad.distributed.optimizers import DistributedOptimizer
from srcgrad.distributed.parameters import broadcast
from srcgrad.distributed.ranks import rank, size
from srcgrad.distributed.reduced import Reduced
from srcgrad.distributed.shares import shard
from srcgrad.namespace import publish

__all__ = [
    "DistributedOptimizer",
    "Reduced",
    "allreduce",
    "bcast",
    "broadcast",
    "gather",
    "grad",
    "halo_exchange",
    "hvp",
    "over_chunks",
    "rank",
    "recv",
    "reduce",
    "scatter",
    "send",
    "sendrecv",
    "shard",
    "size",
    "value_and_grad",
]
publish(globals())
