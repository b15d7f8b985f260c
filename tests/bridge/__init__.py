"""Compiled functions called with tensors: the same values and gradients as on arrays."""
