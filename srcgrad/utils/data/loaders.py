"""`DataLoader`: batches of a dataset, and the samplers that choose their items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from srcgrad.eager import Tensor, create
from srcgrad.eager.functions.shapes import stack
from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.utils.data.datasets import IterableDataset, TensorDataset, drawn


class Sampler:
    """The base of samplers: define `__iter__`, which gives indices.

    >>> import srcgrad as flow
    >>> class Backwards(flow.utils.data.Sampler):
    ...     def __iter__(self):
    ...         return iter([2, 1, 0])
    >>> list(Backwards())
    [2, 1, 0]
    """

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError  # each kind of sampler has its own


class SequentialSampler(Sampler):
    """All indices in order.

    >>> import srcgrad as flow
    >>> list(flow.utils.data.SequentialSampler([5, 6, 7]))
    [0, 1, 2]
    """

    def __init__(self, data_source: Any) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler):
    """Indices drawn at random: each once, or with replacement.

    >>> import srcgrad as flow
    >>> sorted(flow.utils.data.RandomSampler([5, 6, 7]))
    [0, 1, 2]
    """

    data_source: Any
    replacement: bool
    generator: Any

    def __init__(
        self, data_source: Any, replacement: bool = False, num_samples: int | None = None,
        generator: Any = None,
    ) -> None:  # fmt: skip
        self.data_source, self.replacement, self.generator = data_source, replacement, generator
        self.num_samples: int = len(data_source) if num_samples is None else num_samples

    def __iter__(self) -> Iterator[int]:
        n, g = len(self.data_source), drawn(self.generator)
        if self.replacement:
            yield from g.integers(0, n, self.num_samples).tolist()
            return
        left = self.num_samples
        while left > 0:
            yield from g.permutation(n)[:left].tolist()
            left -= n

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler):
    """Lists of a sampler's indices, `batch_size` each; the last may be shorter.

    >>> list(BatchSampler(range(5), 2, False))
    [[0, 1], [2, 3], [4]]
    """

    sampler: Any
    batch_size: int
    drop_last: bool

    def __init__(self, sampler: Any, batch_size: int, drop_last: bool) -> None:
        if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size <= 0:
            raise ArgumentValueError(
                f"batch_size should be a positive integer value, but got batch_size={batch_size}"
            )
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self) -> Iterator[list[Any]]:
        batch: list[Any] = []
        for k in self.sampler:
            batch.append(k)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self) -> int:
        n, size = len(self.sampler), self.batch_size
        return n // size if self.drop_last else -(-n // size)


def default_collate(batch: Any) -> Any:
    """The items of a batch joined: numbers, arrays and tensors to tensors, in their structures.

    >>> default_collate([(1.0, {"k": 2}), (3.0, {"k": 4})])
    [tensor([1., 3.], dtype=srcgrad.float64), {'k': tensor([2, 4], dtype=srcgrad.int64)}]
    """
    first = batch[0]
    match first:
        case Tensor():
            return stack(batch)
        case np.ndarray() | np.generic():
            return create.as_tensor(np.stack(batch))
        case bool() | int() | float():
            return create.tensor(np.asarray(batch))
        case str() | bytes():
            return batch
        case Mapping():
            return {k: default_collate([item[k] for item in batch]) for k in first}
        case tuple() if hasattr(first, "_fields"):
            return type(first)(*(default_collate(part) for part in zip(*batch, strict=True)))
        case tuple() | list():
            if len({len(item) for item in batch}) > 1:
                raise ArgumentValueError("each element in list of batch should be of equal size")
            return [default_collate(part) for part in zip(*batch, strict=True)]
    raise ArgumentTypeError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
        f"found {type(first)}"
    )


class DataLoader:
    """The batches of a dataset, in order or shuffled; read in this process, whatever `num_workers`.

    Batches of a `TensorDataset` over plain arrays are arrays, all others tensors.

    >>> import numpy as np, srcgrad as flow
    >>> data = flow.utils.data.TensorDataset(np.arange(5.0))
    >>> [x.tolist() for x, in flow.utils.data.DataLoader(data, batch_size=2)]
    [[0.0, 1.0], [2.0, 3.0], [4.0]]
    """

    dataset: Any | IterableDataset
    batch_size: int | None
    drop_last: bool
    num_workers: int
    generator: Any
    collate_fn: Callable[..., Any] | None
    sampler: Any
    batch_sampler: Any

    def __init__(
        self, dataset: Any, batch_size: int | None = 1, shuffle: bool | None = None,
        sampler: Any = None, batch_sampler: Any = None, num_workers: int = 0,
        collate_fn: Callable[..., Any] | None = None, pin_memory: bool = False,
        drop_last: bool = False, timeout: float = 0,
        worker_init_fn: Callable[..., Any] | None = None,
        multiprocessing_context: Any = None, generator: Any = None, *,
        prefetch_factor: int | None = None, persistent_workers: bool = False,
        pin_memory_device: str = "", in_order: bool = True,
    ) -> None:  # fmt: skip
        ordered = isinstance(dataset, IterableDataset)
        if sampler is not None and shuffle:
            raise ArgumentValueError("sampler option is mutually exclusive with shuffle")
        if ordered and (shuffle or sampler is not None or batch_sampler is not None):
            raise ArgumentValueError("an IterableDataset is read in its own order")
        if batch_sampler is not None and (
            batch_size != 1 or shuffle or sampler is not None or drop_last
        ):
            raise ArgumentValueError(
                "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and "
                "drop_last"
            )
        self.dataset, self.batch_size, self.drop_last = dataset, batch_size, drop_last
        self.num_workers, self.generator, self.collate_fn = num_workers, generator, collate_fn
        if sampler is None and not ordered:
            sampler = (
                RandomSampler(dataset, generator=generator) if shuffle
                else SequentialSampler(dataset)
            )  # fmt: skip
        self.sampler, self.batch_sampler = sampler, batch_sampler
        if batch_sampler is None and batch_size is not None:
            chosen = dataset if ordered else sampler
            self.batch_sampler = BatchSampler(chosen, batch_size, drop_last)

    def __iter__(self) -> Iterator[Any]:
        if self.batch_sampler is None:
            for k in self.dataset if self.sampler is None else self.sampler:
                item = k if self.sampler is None else self.dataset[k]
                yield item if self.collate_fn is None else self.collate_fn(item)
            return
        for chosen in self.batch_sampler:
            yield self._batch(chosen)

    def _batch(self, chosen: Any) -> Any:
        if self.collate_fn is None and isinstance(self.dataset, TensorDataset):
            return self.dataset.batch(chosen)
        ordered = isinstance(self.dataset, IterableDataset)
        items = chosen if ordered else [self.dataset[k] for k in chosen]
        return (self.collate_fn or default_collate)(items)

    def __len__(self) -> int:
        order: Any = self.sampler if self.batch_sampler is None else self.batch_sampler
        return len(order)
