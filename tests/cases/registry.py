"""What a case is: a plain function, arguments to call it with, and what is known of the result.

    @case(vec(5), 3, tags=("p1",))
    @case(vec(5), 0, tags=("p1",))
    def product(x, n):
        ...

Every mode and backend is run on every case. Stacked decorators add instances of one function. A
case is a plain function of NumPy arrays, numbers and containers of these, in a file, so that its
source can be found; it runs under NumPy alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.tools.structures import copied, float_leaves

CASES: list["Case"] = []


@dataclass(frozen=True, eq=False)
class Case:
    """One function with one set of arguments.

    wrt: the positions that are differentiated; by default those that hold a float somewhere.
    expected: one gradient per position of wrt, where the convention at a kink decides.
    differences: the function is differentiable here, so differences have to agree.
    dot: the derivative is finite, so that products with it can be compared.
    float32: no branch or trip count of the function changes when its arrays are rounded.
    strided: the result does not depend on the arrays' layout (a reshape may view or copy).
    reset: puts captured state back; called before the plain function is.
    """

    name: str
    theme: str
    instance: int
    fn: Callable[..., Any]
    args: tuple[Any, ...]
    wrt: tuple[int, ...]
    tags: tuple[str, ...]
    expected: tuple[Any, ...] | None
    second_order: bool
    differences: bool
    dot: bool
    float32: bool
    strided: bool
    cpu: bool
    reset: Callable[[], None]

    @property
    def id(self) -> str:
        return f"{self.theme}.{self.name}-{self.instance}"

    @property
    def position(self) -> int | tuple[int, ...]:
        """`grad_position` for this case: one position gives a bare gradient."""
        return self.wrt[0] if len(self.wrt) == 1 else self.wrt

    def arguments(self) -> tuple[Any, ...]:
        """The arguments, copied with their layout: the function may overwrite them."""
        return copied(self.args)

    def plain(self, *args: Any) -> Any:
        """What Python itself computes; `args` stay as they are."""
        self.reset()
        return self.fn(*copied(args))


def case(
    *args: Any,
    wrt: tuple[int, ...] | None = None,
    tags: tuple[str, ...] = (),
    expected: tuple[Any, ...] | None = None,
    second_order: bool = True,
    differences: bool | None = None,
    dot: bool = True,
    float32: bool = True,
    strided: bool = True,
    cpu: bool = True,
    name: str | None = None,
    theme: str | None = None,
    reset: Callable[[], None] = lambda: None,
) -> Callable[[Any], Any]:
    """Register the decorated function with these arguments; the function itself is unchanged."""
    if wrt is None:
        wrt = tuple(i for i, a in enumerate(args) if float_leaves(a))

    def register(fn: Any) -> Any:
        label = name or fn.__name__
        home = theme or fn.__module__.rpartition(".")[2]
        instance = sum(c.name == label and c.theme == home for c in CASES)
        smooth = expected is None if differences is None else differences
        CASES.append(
            Case(
                name=label,
                theme=home,
                instance=instance,
                fn=fn,
                args=args,
                wrt=wrt,
                tags=tags,
                expected=expected,
                second_order=second_order,
                differences=smooth,
                dot=dot,
                float32=float32,
                strided=strided,
                cpu=cpu,
                reset=reset,
            )
        )
        return fn

    return register


def vec(n: int, seed: int = 0) -> np.ndarray:
    """n numbers in [0.5, 1.5) without a pattern: no ties, no zeros."""
    return np.random.default_rng(seed).uniform(0.5, 1.5, n)


def mat(rows: int, columns: int, seed: int = 0) -> np.ndarray:
    """A matrix of such numbers."""
    return vec(rows * columns, seed).reshape(rows, columns)


def signed(n: int, seed: int = 0) -> np.ndarray:
    """n numbers of both signs with magnitudes in [0.25, 1.25): away from zero."""
    values = vec(n, seed) - 0.25
    return np.where(np.arange(n) % 3 == 1, -values, values)
