"""Random programs through the differentiator: none wrong, none crashed, few refused or discarded.

`python -m tests.fuzz` runs more of them and prints what fails, shrunk.
"""

import pytest

from srcgrad.passes import checking
from tests.fuzz import Check, Settings, run
from tests.fuzz.runner import failures, tally
from tests.tools.turns import share


def expect_sound(results, discarded=0.1):
    assert not failures(results)
    counts = tally(results)
    assert counts["refused"] <= 0.05 * len(results) + 1
    assert counts["discarded"] <= discarded * len(results) + 1


@pytest.mark.parametrize("first", range(0, 40, 20))
def test_first_order_python(first):
    with checking(first == 0):  # what is differentiated and what is made of it is legal IR
        expect_sound(list(run(share(range(first, first + 12)))))


def test_single_precision_python():
    expect_sound(list(run(share(range(500, 512)), Settings(check=Check(single=True)))))


def test_second_order_python():
    # Second derivatives jump where first ones have a kink: more programs cannot be judged.
    results = list(run(share(range(1000, 1009)), Settings(check=Check(order=2))))
    expect_sound(results, discarded=0.2)


def test_first_order_cpu():
    expect_sound(list(run(share(range(2000, 2006)), Settings(check=Check("cpu")))), discarded=0.4)


def test_second_order_cpu():
    # the lowered programs are run by Python; Numba takes half a minute for one that is not small
    settings = Settings(check=Check("loops", order=2))
    expect_sound(list(run(share(range(3000, 3006)), settings)), discarded=0.5)
    small = Settings(check=Check("cpu", order=2), largest=60)
    expect_sound(list(run(share(range(3000, 3003)), small)), discarded=0.5)


def test_schedules_of_loops():
    how = Settings(check=Check(passes="schedules"))
    expect_sound(list(run(share(range(4000, 4003)), how)))
