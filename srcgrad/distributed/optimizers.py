"""`DistributedOptimizer`: an optimizer whose gradients are added up over the ranks."""

from __future__ import annotations

from typing import Any, Literal

from srcgrad.distributed.ranks import group
from srcgrad.distributed.reduced import Division, Reduced
from srcgrad.eager import Tensor
from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.mindspore.nn import Optimizer as CellOptimizer
from srcgrad.optim import Optimizer


class DistributedOptimizer:
    """An optimizer that steps by the mean, or the sum, of the gradients of all ranks.

    `optimizer`: one of `srcgrad.optim` or of `srcgrad.mindspore.nn`, over the same parameters on
    every rank (`broadcast` makes them so). `step()` exchanges the gradients that the parameters
    have, `step(gradients)` and a call exchange those they are given; everything else is the
    optimizer's own. A parameter without a gradient has none on any rank. The mean counts each rank
    once, or with `rows=` as the rows that its gradients are means over; a rank with `rows=0` has no
    gradients, takes those of the others, and passes none or any.

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

    def __call__(self, gradients: Any, rows: int = 1) -> Any:
        """Steps by gradients in the order of the Parameters, as optimizers of MindSpore do."""
        return self.optimizer(self._sum(gradients, rows))

    def step(self, closure: Any = None, rows: int = 1) -> Any:
        """Steps by the gradients of the parameters, or by those that are given.

        A function that computes the loss is refused: it would be called on each rank at the times
        of that rank's own line search.
        """
        if callable(closure):
            raise ArgumentTypeError(
                "a closure computes gradients that are this rank's alone", None,
                "compute the gradients, then step() or step(gradients)",
            )  # fmt: skip
        if isinstance(self.optimizer, CellOptimizer):
            raise ArgumentTypeError(
                f"{type(self.optimizer).__name__} of MindSpore has no step()", None,
                "call it with gradients",
            )  # fmt: skip
        params = [p for g in self.optimizer.param_groups for p in g["params"]]
        own = None if closure is not None else [p.grad for p in params]
        given, added = self._sum((closure, own), rows)  # a rank without rows sees which it is
        if added is None:
            return self.optimizer.step(given)
        for p, g in zip(params, added, strict=True):
            if isinstance(g, Tensor):
                p.grad = g
        return self.optimizer.step()

    def _sum(self, gradients: Any, rows: int) -> Any:
        if rows < 0:
            raise ArgumentValueError(f"rows={rows}: a rank has no fewer than 0")
        return self._added.of_rows(rows, gradients)


def _same(gradients: Any) -> Any:
    return gradients
