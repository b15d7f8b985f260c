"""`DistributedOptimizer`: an optimizer whose gradients are added up over the ranks."""

from __future__ import annotations

from typing import Any, Literal

from srcgrad.distributed.ranks import group
from srcgrad.distributed.reduced import Division, Reduced
from srcgrad.eager import Tensor
from srcgrad.errors import ArgumentTypeError
from srcgrad.mindspore.nn import Optimizer as CellOptimizer
from srcgrad.optim import Optimizer


class DistributedOptimizer:
    """An optimizer that steps by the mean, or the sum, of the gradients of all ranks.

    `optimizer`: one of `srcgrad.optim` or of `srcgrad.mindspore.nn`, over the same parameters on
    every rank (`broadcast` makes them so). `step()` exchanges the gradients that the parameters
    have, `step(gradients)` and a call exchange those they are given; everything else is the
    optimizer's own. A parameter without a gradient has none on any rank.

    >>> import srcgrad as flow
    >>> from srcgrad import distributed
    >>> w = flow.nn.Parameter(flow.ones(2))
    >>> optimizer = distributed.DistributedOptimizer(flow.optim.SGD([w], lr=0.5))
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.tolist()
    [0.0, 0.0]
    """

    def __init__(self, optimizer: Any, comm: Any = None, reduce: Literal["sum", "mean"] = "mean"):
        if not isinstance(optimizer, Optimizer | CellOptimizer):
            raise ArgumentTypeError(
                f"{type(optimizer).__name__} is no optimizer of srcgrad.optim or of "
                "srcgrad.mindspore.nn"
            )
        self.optimizer: Any = optimizer
        how = Division((), reduce == "mean", False, 0)
        self._added = Reduced(_same, _same, "gradients", group(comm), how)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.optimizer, name)

    def __call__(self, gradients: Any) -> Any:
        """Steps by gradients in the order of the Parameters, as optimizers of MindSpore do."""
        return self.optimizer(self._added(gradients))

    def step(self, closure: Any = None) -> Any:
        """Steps by the gradients of the parameters, or by those that are given.

        A function that computes the loss is refused: it would be called on each rank at the times
        of that rank's own line search.
        """
        if callable(closure):
            raise ArgumentTypeError(
                "a closure computes gradients that are this rank's alone", None,
                "compute the gradients, then step() or step(gradients)",
            )  # fmt: skip
        if closure is not None:
            return self.optimizer.step(self._added(closure))
        params = [p for g in self.optimizer.param_groups for p in g["params"]]
        added = self._added([p.grad for p in params])
        for p, g in zip(params, added, strict=True):
            if isinstance(g, Tensor):
                p.grad = g
        return self.optimizer.step()


def _same(gradients: Any) -> Any:
    return gradients
