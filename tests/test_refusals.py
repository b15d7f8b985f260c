"""Every place that refuses a program is reached by one in `tests/errors`, which holds its text.

A new refusal fails here until it has a program. `python -m tests.refusals` lists what is missing.
"""

import pytest

from tests.refusals import places, unreached

pytestmark = pytest.mark.usefixtures("quiet")

# by a piece of the text: why no program of tests/errors comes there
LEFT = {
    # never reached: what leads there is refused before, or is no Python
    "values that may be unbound": "a name that is read is bound",
    "an asynchronous comprehension": "only in 'async def', which is refused as a whole",
    "has no append": "a list is what has the method",
    "the pattern": "every pattern of Python has a case",
    "target of an assignment": "every target of Python has a case",
    "nested too deeply": "Python does not parse what is nested as deeply",
    "only some are differentiated": "references of which some are active are all carried",
    "has no derivative here": "every row that gives floats has a derivative, or is flat",
    # what is being built
    "complex": "complex numbers",
    # what one function of NumPy does not do yet
    "edge_order": "np.gradient",
    "the diagonal of an array": "np.diagonal",
    "block of lists": "np.block",
    "delete of a slice": "np.delete",
    "rounding integers": "np.round",
    "pad with mode": "np.pad",
    "along another axis": "np.cross, np.vecdot",
    "einsum": "np.einsum",
    "the norm of order": "np.linalg.norm",
    "array of counts": "np.repeat",
    "the method": "np.quantile",
    "several axes": "np.quantile",
}


def test_every_refusal_is_reached():
    missing = [p for p in unreached() if not any(text in p.text for text in LEFT)]
    assert not missing, "no program of tests/errors comes to\n" + "\n".join(map(str, missing))


def test_places_are_found():
    """The inventory sees both ways of refusing."""
    texts = [p.text for p in places()]
    assert any(".refuse(" in t for t in texts)
    assert any(t.startswith("UnsupportedError(") for t in texts)
    assert len(texts) > 200
