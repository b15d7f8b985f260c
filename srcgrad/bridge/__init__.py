"""Where compiled code and tensors meet: compiled functions called with tensors, and the reverse."""
