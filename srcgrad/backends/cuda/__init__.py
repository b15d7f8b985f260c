"""Where kernels run (`device`), and what makes machine code of them.

Nothing here is imported before a program asks for the target; numba-cuda is imported by `toolchain`
alone, CuPy by the GPU's module alone.
"""
