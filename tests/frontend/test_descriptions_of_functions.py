"""Texts that describe a function made inside: they may be set, and nothing reads them."""

import pytest

import srcgrad as flow
from srcgrad.errors import UnsupportedError


def power(k):
    def of(v):
        """The power."""
        return v**k

    of.__doc__ = f"The power {k}."
    of.__name__ = f"power_{k}"
    of.__qualname__ = of_its_module = "power"
    return of if of_its_module else power


def test_texts_are_set():
    def f(x):
        total = 0.0
        for k in range(2, 4):
            total = total + power(k)(x)
        if x > 1.0:
            power(2).__doc__ = f"at {x}"
        return total

    for target in ("python", "cpu"):
        g = flow.value_and_grad(flow.compile(f, target=target))
        assert g(2.0) == (f(2.0), 16.0)
        assert g(0.5) == (f(0.5), 1.75)


def reads_its_text(x):
    return x * len(power(2).__doc__)


def reads_its_name(x):
    return x * len(power(2).__name__)


def sets_another_attribute(x):
    of = power(2)
    of.calls = 3
    return of(x)


@pytest.mark.parametrize("f", [reads_its_text, reads_its_name, sets_another_attribute])
def test_what_is_read_is_refused(f):
    with pytest.raises(UnsupportedError, match="attribute"):
        flow.grad(flow.compile(f, target="python"))(2.0)
