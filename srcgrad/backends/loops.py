"""The backend `loops`: array operations as loop nests, run as the reference backend runs a text.

The text that the cpu backend would print, without Numba: slow, and compared with both. Never
optimises.
"""

from __future__ import annotations

from srcgrad.backends import python
from srcgrad.backends.backend import Backend, BuildOptions, Executable
from srcgrad.ir.nodes import Function
from srcgrad.passes.pipeline import INDEPENDENT_IN_ORDER, INDEPENDENT_LOOPS, Pass, lowering


class Loops(Backend):
    name = "loops"

    def pipeline(self, options: BuildOptions) -> tuple[Pass, ...]:
        if options.parallel:
            return lowering(options.strict, True)
        last = INDEPENDENT_IN_ORDER if options.strict else INDEPENDENT_LOOPS
        return (*lowering(options.strict), last)

    def build(self, function: Function, options: BuildOptions) -> Executable:
        return python.build(function)


BACKEND: Backend = Loops()
