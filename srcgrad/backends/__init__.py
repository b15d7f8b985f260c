"""From IR to something that runs: `python` (the text itself) and `cpu` (a module for Numba)."""
