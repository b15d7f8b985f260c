"""Array operations become loop nests in the same IR: `fuse` makes one nest of several, `lower`
one of each that is left.

Names that hold throughout: a *step* is an array operation inside a nest's body; an
*access* says which element of an array a step touches; a *group* is what shares a nest. What
stays whole: allocation, views, library calls. Never looks at a derivative.
"""

from srcgrad.passes.lower.fuse import fuse
from srcgrad.passes.lower.lowering import lower

__all__ = ["fuse", "lower"]
