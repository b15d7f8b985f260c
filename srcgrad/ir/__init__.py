"""The typed, structured intermediate representation: types, nodes, text, checker.

Names that hold throughout: an *atom* is a `Var` or a `Const`; a *block* is a tuple of
statements; a *body* is the block of a loop. Knows no derivatives, NumPy names or backends.
"""
