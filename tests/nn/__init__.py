"""Cells, layers and optimizers: compiled, and against the tape and PyTorch."""
