"""A printed program and an exported file compute what the program does, without srcgrad."""

from typing import Any

import numpy as np

import srcgrad as flow
from srcgrad.frontend.returned import Choice
from srcgrad.transforms.exported import exported
from srcgrad.tree import Leaf, leaves, nodes
from tests.checks.case_checks import Record, check, never
from tests.checks.comparing import nearness


def run(text: str, args: tuple) -> Any:
    """The last function of a text, called; there is nothing in scope beside it."""
    assert "import srcgrad" not in text and "from srcgrad" not in text
    scope: dict[str, Any] = {"__name__": "printed"}
    exec(compile(text, "<printed>", "exec", dont_inherit=True), scope)
    with np.errstate(all="ignore"):
        return scope[text.rpartition("\ndef ")[2].partition("(")[0]](*args)


@check(always=never, rotates=True)
def readable_text(record: Record):
    compiled = record.reference.compiled
    compare(record, compiled, lambda: compiled.source("primal", *record.case.arguments()))


@check(always=never, rotates=True)
def exported_file(record: Record):
    gradient = record.reference.transform
    compare(record, gradient, lambda: exported(gradient, record.case.arguments(), {}))


def compare(record: Record, compiled: Any, text: Any):
    record.case.reset()
    want = leaves(compiled(*record.case.arguments()))
    record.case.reset()
    try:
        got = leaves(run(text(), record.case.arguments()))
    except flow.UnsupportedError as error:
        assert "calls back to Python" in str(error)
        return
    except NameError as error:  # of a call back to Python, which no text has
        assert error.name in ("call_back", "draw")
        return
    except ZeroDivisionError:  # Python's numbers divide by zero in the text, NumPy's do not
        return
    output = compiled._program(compiled._bind(record.case.arguments(), {}))[0].output
    if any(isinstance(node, Choice) for node in nodes(output)):
        return  # a result of one of two kinds: the text returns both, and the flag
    places = leaves(output)
    if len(got) != len(want):  # of classes: the text returns their parts
        got = [got[k.k] if isinstance(k, Leaf) else k for k in places]
    for a, b in zip(got, want, strict=True):
        if a is None or b is None or isinstance(b, str):
            assert a == b
        else:
            # what cancels is left with the rounding of its terms, which are of order one
            small = 1e-14 if record.case.name == "contour_integral" else 1e-300
            np.testing.assert_allclose(a, b, rtol=nearness(record.case), atol=small)
