"""Finds false promises of the user's: loops over `prange` whose trips depend on one another.

>>> f = parse('''
... def f(x: f64[n]):
...     n: int = dim(x, axis=0)
...     for i in promised(range(1, n)):
...         j: int = sub(i, 1)
...         v: f64 = load(x, j)
...         store(x, i, v)
...     return ()
... ''')
>>> false_promise(f).args[0].splitlines()[0]
"a loop over prange whose trips depend on one another: trips touch one element of 'x'"

Reports only certain ones. Runs on the user's program, before it is differentiated.
"""

from __future__ import annotations

from srcgrad.errors import UnsupportedError
from srcgrad.ir.nodes import For, Function
from srcgrad.ir.walk import walk
from srcgrad.passes.dependence import Dependence
from srcgrad.passes.verdicts import Dependent


def false_promise(function: Function) -> UnsupportedError | None:
    """The refusal of the first false promise; None if there is none."""
    promised = [s for s in walk(function.body) if isinstance(s, For) and s.promised]
    facts = Dependence(function, in_chunks=True) if promised else None
    for s in promised:
        found = facts.of(s) if facts else None
        if isinstance(found, Dependent) and found.sure:
            return UnsupportedError(
                f"a loop over prange whose trips depend on one another: {found.reason}",
                found.loc or s.loc,
                "write range, or let no trip read or replace what another one makes",
            )
    return None
