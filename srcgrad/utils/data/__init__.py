"""`flow.utils.data`: datasets and loaders of their batches, with PyTorch's arguments."""

from srcgrad.namespace import publish
from srcgrad.utils.data.datasets import (
    ConcatDataset,
    Dataset,
    IterableDataset,
    Subset,
    TensorDataset,
    random_split,
)
from srcgrad.utils.data.loaders import (
    BatchSampler,
    DataLoader,
    RandomSampler,
    Sampler,
    SequentialSampler,
    default_collate,
)

__all__ = [
    "BatchSampler", "ConcatDataset", "DataLoader", "Dataset", "IterableDataset", "RandomSampler",
    "Sampler", "SequentialSampler", "Subset", "TensorDataset", "default_collate", "random_split",
]  # fmt: skip
publish(globals())
