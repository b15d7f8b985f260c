"""Strip-mines loops of independent recurrences, so that each vector instruction has many trips.

`uniform` tells what is the same in all trips, `candidates` decides which loops are rewritten,
`lanes` writes the statements of a strip, `transposed` moves what lanes touch at a distance into
buffers, and `strip_mining` is the pass. Never looks at a derivative.
"""

from srcgrad.passes.strips.strip_mining import strip_mining

__all__ = ["strip_mining"]
