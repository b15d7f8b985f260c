"""Compiled functions inside the graphs of other libraries, and files that other libraries read.

A function is a node of the graph of PyTorch, JAX or PyTensor whose derivative srcgrad computes;
tensors are read from safetensors files and written to them. The libraries are imported at first
use.
"""

from srcgrad.interop.of_jax import to_jax
from srcgrad.interop.of_pytensor import to_pytensor
from srcgrad.interop.of_safetensors import load_safetensors, save_safetensors
from srcgrad.interop.of_torch import to_torch
from srcgrad.namespace import publish

__all__ = ["load_safetensors", "save_safetensors", "to_jax", "to_pytensor", "to_torch"]
publish(globals())
