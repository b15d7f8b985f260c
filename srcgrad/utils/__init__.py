"""`flow.utils`: `data`, datasets and their batches."""

from srcgrad.utils import data

__all__ = ["data"]
