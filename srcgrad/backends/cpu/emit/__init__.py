"""The way down to LLVM: lowered IR -> the text of an LLVM module.

Numba dispatches, unboxes, boxes, caches and raises around it, and compiles the helper library.
Never changes what a program computes.
"""
