"""A program as a person would write it: NumPy's spelling, nested expressions, few names.

`trim` leaves out the checks of indices and shapes, `fold` picks which definitions are written where
they are used, `names` lets variables that are never live together share a name, `expressions`
spells the primitives, `program` prints the statements. For reading: it runs with NumPy (and the
primitives that NumPy cannot spell) in scope; a product in which a zero adjoint absorbs an infinite
partial is written as a product. The text that is checked, parsed and compiled is that of `ir.text`.
`shown` needs no program: the eager mode has it too.
"""
