"""Connects compiled code and tensors: compiled functions called with tensors, and the reverse."""
