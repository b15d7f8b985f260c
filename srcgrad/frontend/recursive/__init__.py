"""Recursive functions as loops over a stack of activations.

`calls_apart` gives each call of the function to itself a statement of its own, `blocks` cuts the
function there into the blocks of a loop, `activations` interprets what that loop does to its stack.
"""
