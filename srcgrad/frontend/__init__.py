"""Python source to typed IR, by staged interpretation: values known when compiling are computed.

The interpreter walks a function's syntax tree. Static values (numbers in the source, strings,
functions, modules, containers) are Python objects; run-time values are IR variables. Never
differentiates and never runs a user's function.
"""
