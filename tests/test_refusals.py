"""Every place that refuses a program is reached by one in `tests/errors`, which holds its text.

A new refusal fails here until it has a program. `python -m tests.tools.refusals` lists what is
missing.
"""

import pytest

from tests.tools.refusals import places, unreached

pytestmark = pytest.mark.usefixtures("quiet")

# by a piece of the text: why no program of tests/errors comes there
LEFT = {
    # what leads there is refused before, or is no Python
    "values that may be unbound": "a name that is read is bound",
    "an asynchronous comprehension": "only in 'async def', which is refused as a whole",
    "has no append": "a list is what has the method",
    "the pattern": "every pattern of Python has a case",
    "target of an assignment": "every target of Python has a case",
    "needs too many specialisations": "requirements are of what a program has, and are found once",
    "changes kind in a recursion": "what a call keeps has the kinds of its arguments",
    "only some are differentiated": "references of which some are active are all carried",
}


def test_every_refusal_is_reached():
    texts = {str(p): p.text for p in unreached()}
    missing = [place for place, text in texts.items() if not any(part in text for part in LEFT)]
    assert not missing, "no program of tests/errors comes to\n" + "\n".join(missing)
    assert not [part for part in LEFT if not any(part in text for text in texts.values())]


def test_places_are_found():
    """The inventory sees both ways of refusing."""
    texts = [p.text for p in places()]
    assert any(".refuse(" in t for t in texts)
    assert any(t.startswith("UnsupportedError(") for t in texts)
    assert len(texts) > 200
