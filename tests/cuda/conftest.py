"""Without a word of a test, programs run on the simulated device."""

import pytest

from srcgrad.backends.cuda.selection import using
from srcgrad.backends.cuda.simulator import Simulator


@pytest.fixture(autouse=True)
def simulated():
    with using(Simulator()):
        yield
