"""The sizes of wavefronts. Measured in docs/decisions/wavefronts.md."""

LANES = 16  # outer trips that run together
FARTHEST = 4  # steps that a trip may have to follow the one before it
