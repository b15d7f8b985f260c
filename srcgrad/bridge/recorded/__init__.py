"""NumPy's arrays and numbers on the tape: what `mode="tape"` runs a function on.

A recorded array behaves as an `ndarray` and a recorded number as the number it holds: values,
kinds, views and exceptions are NumPy's own, which is run on the data. Derivatives come from the
table of primitives, and of other functions from the compiler. What would lose a gradient is
refused.
"""
