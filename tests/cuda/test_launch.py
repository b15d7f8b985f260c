"""What a launch passes, against what compiled kernels take: no device is needed for either."""

import ctypes
import re
import struct

import numpy as np
import pytest

from srcgrad.backends.cuda import toolchain
from srcgrad.backends.cuda.device import KernelText
from srcgrad.backends.cuda.gpu import Launch
from srcgrad.backends.cuda.launch import argument_words
from srcgrad.ir.types import DTYPES, FLOAT, INT, Array, Scalar, Var, np_dtype

SIZES = {"u8": 1, "b8": 1, "u16": 2, "b16": 2, "u32": 4, "f32": 4, "b32": 4, "u64": 8, "f64": 8}
SIZES |= {"b64": 8}


class OnDevice:
    """What CuPy's arrays are asked for, of host memory."""

    def __init__(self, a):
        self.a, self.data = a, type("Memory", (), {"ptr": a.ctypes.data})

    def __getattr__(self, name):
        return getattr(self.a, name)


def array_type(dtype, ndim, layout="C"):
    return Array(dtype, tuple(Var(f"n{k}", INT) for k in range(ndim)), layout)


def declared(parameters):
    """The sizes of the parameters of a compiled kernel."""
    names = [f"a{k}" for k in range(len(parameters))]
    kernel = KernelText("k", f"def k({', '.join(names)}):\n    pass\n", parameters)
    (text,) = toolchain.ptx([kernel], (9, 0))
    found = re.findall(r"\.param (?:\.align \d+ )?\.(\w+)(?: .*)? k_param_\d+", text)
    return [SIZES[word] for word in found]


def passed(words, sizes):
    """The bytes that cuda.core hands the driver for each parameter."""
    from cuda.core._kernel_arg_handler import ParamHolder

    holder = ParamHolder(tuple(words))
    places = ctypes.cast(holder.ptr, ctypes.POINTER(ctypes.c_void_p))
    return [ctypes.string_at(places[k], size) for k, size in enumerate(sizes)]


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers(dtype):
    value = np_dtype(dtype).type(1.5 + 2j if dtype[0] == "c" else 1.5)
    parameters = (Scalar(dtype), INT)
    words = argument_words(parameters, [value.item(), 7])
    sizes = declared(parameters)
    assert len(words) == len(sizes)
    *number, after = passed(words, sizes)
    assert b"".join(number) == value.tobytes()
    assert struct.unpack("q", after) == (7,)


@pytest.mark.parametrize("ndim", [0, 1, 2, 3])
@pytest.mark.parametrize("layout", ["C", "S"])
def test_arrays(ndim, layout):
    a = np.ones((2, 3, 4)[:ndim], np.float32)
    a = a.T if layout == "S" else a
    parameters = (array_type("f32", ndim, layout), FLOAT)
    words = argument_words(parameters, [OnDevice(a), 2])
    sizes = declared(parameters)
    assert sizes == [8] * (5 + 2 * ndim + 1)
    got = [struct.unpack("q", b)[0] for b in passed(words, sizes)[:-1]]
    assert got == [0, 0, a.size, 4, a.ctypes.data, *a.shape, *a.strides]
    assert passed(words, sizes)[-1] == struct.pack("d", 2.0)


@pytest.mark.parametrize(
    "a",
    [np.ones(3, np.float32), np.ones((3, 1)), np.ones(6)[::2]],
    ids=["dtype", "rank", "strides"],
)
def test_an_array_of_another_type_is_not_launched(a):
    with pytest.raises(TypeError, match="a kernel expects"):
        argument_words((array_type("f64", 1),), [OnDevice(a)])


def test_a_launch(monkeypatch):
    import cuda.core

    seen = []
    monkeypatch.setattr(cuda.core, "launch", lambda *args: seen.append(args))
    launch = Launch("kernel", (INT, FLOAT), lambda: "stream")
    launch((2, 3), 128, [4, 5.0])
    ((stream, config, kernel, *words),) = seen
    assert (stream, kernel, words) == ("stream", "kernel", [4, 5.0])
    assert (config.grid, config.block) == ((2, 3, 1), (128, 1, 1))
