"""A program as a person would write it: NumPy's spelling, nested expressions, few names.

`trim` leaves the checks of indices and shapes out, `fold` picks which definitions are written where
they are used, `names` lets variables share a name that never live together, `expressions` spells
the primitives, `program` prints the statements. For reading: it runs with NumPy (and, for what
NumPy has no spelling of, the primitives) in scope; a product in which a zero adjoint absorbs an
infinite partial is written as a product. But the text that is checked, parsed and
compiled is that of `ir.text`.
"""

from srcgrad.ir.readable.program import readable

__all__ = ["readable"]
