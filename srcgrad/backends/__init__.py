"""From IR to something that runs: `python` (the text itself), `cpu` (Numba), `cuda` (kernels)."""
