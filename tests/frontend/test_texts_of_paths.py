"""Texts with numbers of the run that are others on other paths: what is raised, printed, logged."""

import warnings

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import TARGETS, agrees, raises_alike


def chosen(x, c):
    kind = "first" if c > 0.0 else f"end {x}"
    if x > 3.0:
        raise ValueError(f"bad {kind}, got {x}")
    return 2.0 * x


def of_two_branches(x, c):
    if c > 1.0:
        kind = f"over {c}"
    elif c > 0.0:
        kind = f"between 0 and {c:.1f}"
    else:
        kind = "below"
    print(kind, x)
    return x * c


def of_one_template(x, c):
    text = f"value {x}" if c > 0.0 else f"value {c}"
    print(text)
    if x > 3.0:
        raise ValueError(text + ".")
    return x


def of_one_path(x, c):
    text = None
    if c > 0.0:
        text = f"c = {c}"
    if text is not None:
        print(text)
    return x


def of_a_helper(x, c):
    def described(v):
        return f"{v} is large" if v > 1.0 else "small"

    print(described(x), "and", described(c))
    return x - c


def carried_by_a_loop(x, c):
    text = "none"
    for k in range(int(c) + 3):
        if x * k > 4.0:
            text = f"trip {k}"
    print(text)
    return x


def in_a_container(x, c):
    found = {"text": f"{x} of {c}" if c > 0.0 else "none", "value": x}
    print(found["text"])
    return found["value"] * c


ALL = [
    chosen, of_two_branches, of_one_template, of_one_path, of_a_helper, carried_by_a_loop,
    in_a_container,
]  # fmt: skip


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
def test_texts_are_those_of_python(f):
    for c in (2.5, 0.5, -0.5):
        agrees(f, 2.0, c)
        if f in (chosen, of_one_template):
            raises_alike(f, 4.0, c)


def test_warnings():
    def warned(x):
        warnings.warn("large" if x > 1.0 else f"{x} is small", stacklevel=1)
        return x * x

    for target in TARGETS:
        for x in (2.0, 0.5):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                flow.compile(warned, target=target)(x)
            assert str(caught[0].message) == ("large" if x > 1.0 else "0.5 is small")


def test_derivatives():
    for target in TARGETS:
        assert flow.grad(flow.compile(chosen, target=target))(2.0, -1.0) == 2.0
        assert flow.jvp(flow.compile(chosen, target=target), (2.0, 1.0), (1.0, 0.0))[1] == 2.0


def test_texts_that_grow_with_the_trips_are_refused():
    def joined(x):
        text = ""
        for v in x:
            if v > 0.0:
                text += f" {v}"
        if text:
            raise ValueError(text)
        return x[0]

    with pytest.raises(flow.UnsupportedError):
        flow.compile(joined)(np.ones(200))
