"""Second names: of functions, and methods of arrays for functions that exist."""

from __future__ import annotations

import numpy as np

from srcgrad.frontend.handlers import elementwise, reductions, shapes, sorting
from srcgrad.frontend.handlers.registry import FUNCTIONS, implements

# their rows are what is renamed
assert elementwise and reductions and shapes and sorting

FUNCTION_OF = {np.amax: np.max, np.amin: np.min}
METHOD_OF = {"nonzero": np.nonzero, "searchsorted": np.searchsorted}

for _name, _f in FUNCTION_OF.items():
    implements(_name)(FUNCTIONS[_f])
for _name, _f in METHOD_OF.items():
    implements(method=_name)(FUNCTIONS[_f])
