"""Arrays of other libraries on the host, captured: refused at the line that reads them."""

import numpy as np
import pytest

import srcgrad as flow

HOST_ONLY = property(lambda self: getattr(self, "only on a GPU"))
ArrayImpl = type(
    "ArrayImpl",
    (),
    {
        "__module__": "jaxlib._jax",
        "__cuda_array_interface__": HOST_ONLY,
        "__array__": lambda self, *_: np.ones(2),
    },
)
C = ArrayImpl()


def scaled(x):
    return np.sum(x * C)


def test_a_captured_array():
    with pytest.raises(flow.UnsupportedError, match="'C' is an array of JAX") as caught:
        flow.compile(scaled, target="python")(np.ones(2))
    assert "x * C" in str(caught.value) and "np.asarray(C) as an argument" in str(caught.value)
