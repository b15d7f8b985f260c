"""The examples in the docstrings of the conversions give what they say."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize("name", ["of_jax", "of_pytensor", "of_safetensors", "of_torch"])
def test_examples(name):
    module = importlib.import_module(f"srcgrad.interop.{name}")
    assert doctest.testmod(module) != (0, 0)
    assert doctest.testmod(module).failed == 0
