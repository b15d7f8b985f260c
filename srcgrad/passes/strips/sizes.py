"""The sizes of strips, and the bounds by which loops are chosen.

Measured in docs/decisions/strip_mining.md.
"""

LANES = 32  # trips in a strip
TILE = 128  # trips of an inner loop between two transfers
FEW = 4  # lanes in which a `while` goes on: so few end one by one
OWN = 1024  # elements of the buffers that a trip makes: more of them would leave the cache
SHORT = 256  # statements: a loop known to run fewer is unrolled, and the one around it vectorised
