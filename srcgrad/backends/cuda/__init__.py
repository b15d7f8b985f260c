"""The cuda backend: devices that run kernels (`device`), and the compiler of kernels.

Nothing here is imported before a program asks for the target; numba-cuda is imported by `toolchain`
alone, CuPy by the GPU's module alone.
"""
