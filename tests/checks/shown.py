"""The text for readers computes what the program computes; only checks are missing from it."""

import __future__

from typing import Any

import numpy as np

from srcgrad.backends.python import build, namespace
from srcgrad.ir.nodes import Def, Function
from srcgrad.ir.readable import readable
from srcgrad.ir.types import Scalar, np_dtype
from srcgrad.ir.walk import walk
from srcgrad.tree import paths
from tests.checks.case_checks import Record, check, never
from tests.tools.structures import copied


def run(function: Function, args: list[Any]) -> Any:
    """The text as it stands, with NumPy and the primitives; numbers are NumPy's (x / 0 is inf)."""
    text = readable(function)
    scope = {**namespace(), "max": max, "min": min, "abs": abs, "sum": sum, "np": np}
    exec(compile(text, "<readable>", "exec", __future__.annotations.compiler_flag, True), scope)
    numbers = [
        np_dtype(p.type.dtype).type(a) if isinstance(p.type, Scalar) else a
        for p, a in zip(function.params, args, strict=True)
    ]
    out = scope[text.partition("def ")[2].partition("(")[0]](*numbers)
    return out if isinstance(out, tuple) else (out,)


def program(record: Record, compiled: Any) -> tuple[Function, list[Any]]:
    """The function of a stage and its inputs at the arguments of the case."""
    record.case.reset()
    arguments = compiled._bind(copied(record.case.args), {})
    given = [pair for name, v in arguments.items() for pair in paths(v, (name,))]
    entry, captured = compiled._entry_for(arguments, given)
    values = dict(given)
    return entry.program.function, [*[values[path] for path in entry.program.inputs], *captured]


@check(always=never, rotates=True)
def readable_text(record: Record):
    for compiled in (record.reference.compiled, record.reference.transform):
        function, inputs = program(record, compiled)
        want = build(function)(*copied(inputs))
        try:
            got = run(function, copied(inputs))
        except ZeroDivisionError:  # Python's numbers divide by zero in the text, NumPy's do not
            continue
        assert len(got) == len(want)
        absorbs = any(isinstance(s, Def) and s.op.name == "absorb" for s in walk(function.body))
        for a, b in zip(got, want, strict=True):
            if absorbs:  # written as products, which a zero and an infinity make NaN
                b = np.where(np.isnan(a), a, b)
            # what cancels is left with the rounding of its terms, which are of order one
            small = 1e-14 if record.case.name == "contour_integral" else 1e-300
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=small)
