"""What tests of transforms share."""

import pytest

from srcgrad.transforms.compiled import Compiled


@pytest.fixture
def builds(monkeypatch):
    """How often a program has been built."""
    made = []
    build = Compiled._built
    monkeypatch.setattr(Compiled, "_built", lambda *a: made.append(a[0]) or build(*a))
    return made
