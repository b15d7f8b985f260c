"""`flow.utils`: `data`, datasets and their batches."""

from srcgrad.namespace import publish
from srcgrad.utils import data

__all__ = ["data"]
publish(globals())
