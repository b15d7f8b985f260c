"""Compiled functions inside the graphs of other libraries: PyTorch, JAX and PyTensor.

Each is a node of the other library's graph whose derivative srcgrad computes. The libraries are
imported when a function is first converted.
"""

from srcgrad.interop.of_jax import to_jax
from srcgrad.interop.of_pytensor import to_pytensor
from srcgrad.interop.of_torch import to_torch
from srcgrad.namespace import publish

__all__ = ["to_jax", "to_pytensor", "to_torch"]
publish(globals())
