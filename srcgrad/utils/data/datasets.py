"""Datasets: items by number, and parts and joins of them. PyTorch's classes."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from srcgrad.eager import Tensor, create
from srcgrad.errors import ArgumentValueError


class Dataset:
    """The base of datasets: define `__getitem__`, and `__len__`.

    >>> import srcgrad as flow
    >>> class Squares(flow.utils.data.Dataset):
    ...     def __getitem__(self, k):
    ...         return k * k
    >>> Squares()[3]
    9
    """

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Any) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset):
    """The base of datasets that are read in order: define `__iter__`.

    >>> import srcgrad as flow
    >>> class Three(flow.utils.data.IterableDataset):
    ...     def __iter__(self):
    ...         return iter([1, 2, 3])
    >>> list(Three())
    [1, 2, 3]
    """

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")


class TensorDataset(Dataset):
    """The rows of tensors, or of plain arrays, of one length; an item is a tuple of rows.

    >>> import numpy as np, srcgrad as flow
    >>> flow.utils.data.TensorDataset(np.eye(2), np.arange(2))[1]
    (array([0., 1.]), np.int64(1))
    """

    def __init__(self, *tensors: Any) -> None:
        lengths = {len(t) for t in tensors}
        if len(lengths) > 1:
            raise ArgumentValueError(f"Size mismatch between tensors: {sorted(lengths)}")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple(t[index] for t in self.tensors)

    def __len__(self) -> int:
        return len(self.tensors[0])

    def batch(self, indices: Sequence[int]) -> list[Any]:
        """The rows at several indices, joined."""
        at = np.asarray(indices, np.int64)
        return [t[Tensor(at)] if isinstance(t, Tensor) else t[at] for t in self.tensors]


class Subset(Dataset):
    """Some items of a dataset.

    >>> import srcgrad as flow
    >>> flow.utils.data.Subset([5, 6, 7], [2, 0])[0]
    7
    """

    dataset: Any
    indices: Sequence[int]

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: int) -> Any:
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


class ConcatDataset(Dataset):
    """The items of several datasets, one after the other.

    >>> import srcgrad as flow
    >>> len(flow.utils.data.ConcatDataset([[1, 2], [3]]))
    3
    """

    def __init__(self, datasets: Any) -> None:
        self.datasets: list[Any] = list(datasets)
        if not self.datasets:
            raise ArgumentValueError("datasets should not be an empty iterable")
        self.cumulative_sizes: list[int] = list(itertools.accumulate(map(len, self.datasets)))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> Any:
        k = index + len(self) if index < 0 else index
        if not 0 <= k < len(self):
            raise IndexError("index out of range")
        which = bisect.bisect_right(self.cumulative_sizes, k)
        return self.datasets[which][k - (self.cumulative_sizes[which - 1] if which else 0)]


def random_split(dataset: Any, lengths: Sequence[float], generator: Any = None) -> list[Subset]:
    """Parts of given lengths, or fractions, in an order drawn at random.

    >>> import srcgrad as flow
    >>> [len(part) for part in flow.utils.data.random_split(range(10), [0.75, 0.25])]
    [8, 2]
    """
    n, counts = len(dataset), list(lengths)
    if math.isclose(sum(counts), 1.0) and sum(counts) <= 1.0:
        counts = [math.floor(n * part) for part in counts]
        for k in range(n - sum(counts)):
            counts[k % len(counts)] += 1
    if sum(counts) != n:
        raise ArgumentValueError(
            "Sum of input lengths does not equal the length of the input dataset!"
        )
    order = drawn(generator).permutation(n).tolist()
    ends = list(itertools.accumulate(int(c) for c in counts))
    return [Subset(dataset, order[end - int(c) : end]) for c, end in zip(counts, ends, strict=True)]


def drawn(generator: Any) -> np.random.Generator:
    """A generator of random numbers: NumPy's, or the one of `flow.manual_seed` for None."""
    if generator is None:
        return create.generator()
    if isinstance(generator, np.random.Generator):
        return generator
    raise ArgumentValueError("'generator' must be a NumPy generator: np.random.default_rng(seed)")
