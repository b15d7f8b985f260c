"""The way down to LLVM: lowered IR -> the text of an LLVM module.

Numba looks at the types of the arguments, counts references, and compiles the helper library.
Never changes what a program computes.
"""
