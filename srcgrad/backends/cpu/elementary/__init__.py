"""Elementary functions of doubles, one at a time and in vectors, equal to the last bit.

LLVM vectorises a loop only if the functions that it calls have vector variants. Those of the
mathematical library have none that round as they do: the elements after the last whole vector
would be computed by other code than those before them, and equal elements would no longer give
equal results. Here one formula is written for 1, 4 and 8 doubles, operation by operation.
"""
