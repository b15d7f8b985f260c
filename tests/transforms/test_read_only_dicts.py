"""Captured `types.MappingProxyType`: read as the dict that it shows, as it is at each call."""

from dataclasses import dataclass, field, fields
from types import MappingProxyType

import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow
from srcgrad.errors import UnsupportedError


@dataclass
class Inputs:
    v: float = field(metadata={"least": 0.0, "factor": 2.0})
    w: float = 1.0

    def __post_init__(self):
        for f in fields(self):
            if not f.metadata:
                continue
            if getattr(self, f.name) < f.metadata.get("least", -1.0):
                raise ValueError(f"{f.name} is too small")
            setattr(self, f.name, getattr(self, f.name) * f.metadata["factor"])


def scaled(x):
    inputs = Inputs(x, w=x)
    return inputs.v * inputs.w


def test_metadata_of_fields():
    value, gradient = flow.value_and_grad(flow.compile(scaled, target="python"))(1.5)
    assert_allclose((value, gradient), (4.5, 6.0), rtol=1e-15)
    with pytest.raises(ValueError, match="v is too small"):
        flow.grad(flow.compile(scaled, target="python"))(-1.5)


def test_what_it_shows_is_read_at_each_call():
    behind = {"rate": 2.0, "weights": np.array([1.0, 3.0])}
    shown = MappingProxyType(behind)

    @flow.compile(target="python")
    def f(x):
        extra = shown.get("extra", 0.0) if "extra" in shown else len(shown)
        return shown["rate"] * x + np.sum(shown["weights"]) * x + extra

    assert_allclose(flow.value_and_grad(f)(2.0), (14.0, 6.0))
    behind["weights"][0] = 5.0
    assert_allclose(flow.value_and_grad(f)(2.0), (22.0, 10.0))
    behind["rate"] = 1.0
    behind["extra"] = 0.5
    assert_allclose(flow.value_and_grad(f)(2.0), (18.5, 9.0))


class Gas:
    rate = 2.0


def test_what_is_made_anew_at_each_access_is_built_once(builds):
    gradient = flow.grad(flow.compile(lambda x: Gas.__dict__["rate"] * x, target="python"))
    assert [gradient(3.0), gradient(4.0)] == [2.0, 2.0]
    assert len(builds) == 1


def test_it_cannot_be_changed():
    shown = MappingProxyType({"a": 1.0})

    @flow.compile(target="python")
    def f(x):
        shown["a"] = x
        return x

    with pytest.raises((TypeError, UnsupportedError)):
        flow.grad(f)(1.0)
