"""Turns array operations into loop nests in the same IR: `fuse` makes one nest of several, `lower`
one of each that is left.

Names that hold throughout: a *step* is an array operation inside a nest's body; an
*access* is the element of an array that a step touches; a *group* is the steps that share a nest.
Allocation, views and library calls stay whole. Never looks at a derivative.
"""

from srcgrad.passes.lower.fuse import Apart, fuse
from srcgrad.passes.lower.lowering import lower

__all__ = ["Apart", "fuse", "lower"]
