"""Runs the trips of a nest of recurrences along its diagonals, so that vectors compute many.

`nests` tells which nests are rewritten, `skew` how far their trips have to follow one another, and
`wavefronts` is the pass. Never looks at a derivative.
"""

from srcgrad.passes.wavefronts.wavefronts import wavefronts

__all__ = ["wavefronts"]
