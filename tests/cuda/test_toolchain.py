"""Kernels to machine code without a GPU: what is in it, and under which options."""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from srcgrad.backends.cuda import toolchain
from srcgrad.backends.cuda.device import KernelText
from srcgrad.ir.types import INT, Array, Scalar, Var
from tests.cuda.test_simulator import SQUARES

CAPABILITIES = ((8, 0), (9, 0))

CONTRACTIBLE = """
def difference(a, b):
    return a * a - b * b


def k(x, y, out, s):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = difference(x[i], y[i]) + s * x[i]
"""


def vector(dtype, layout="C"):
    return Array(dtype, (Var("n", INT),), layout)


def contractible(dtype, fastmath=False):
    v = vector(dtype)
    return KernelText("k", CONTRACTIBLE, (v, v, v, Scalar(dtype)), fastmath)


@cache
def nvdisasm():
    (found,) = (f for folder in sys.path for f in Path(folder).glob("nvidia/*/bin/nvdisasm*"))
    return str(found)


def opcodes(cubin, tmp_path):
    """The names of the machine instructions."""
    file = tmp_path / "k.cubin"
    file.write_bytes(cubin)
    text = subprocess.run([nvdisasm(), "-c", file], check=True, capture_output=True, text=True)
    return set(re.findall(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\d+\s+)?(\w+)", text.stdout, re.M))


@pytest.mark.parametrize("capability", CAPABILITIES)
@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_products_and_sums_are_not_contracted(capability, dtype, tmp_path):
    letter = {"f32": "F", "f64": "D"}[dtype]
    exact = opcodes(toolchain.cubin([contractible(dtype)], capability), tmp_path)
    assert {f"{letter}MUL", f"{letter}ADD"} <= exact
    assert f"{letter}FMA" not in exact
    fast = opcodes(toolchain.cubin([contractible(dtype, True)], capability), tmp_path)
    assert f"{letter}FMA" in fast


def test_exact_kernels_beside_fast_ones_stay_exact(tmp_path):
    v = vector("f64")
    text = CONTRACTIBLE.replace("def k(", "def fast(")
    fast = KernelText("fast", text, (v, v, v, Scalar("f64")), fastmath=True)
    code = toolchain.cubin([contractible("f64"), fast], (9, 0))
    assert "DFMA" not in opcodes(code, tmp_path)


def test_kernels_that_share_device_functions_are_linked_together():
    v = vector("f64")
    kernels = [
        KernelText(name, SQUARES.replace("def squares(", f"def {name}("), (v, v))
        for name in ("first", "second")
    ]
    code = toolchain.cubin(kernels, (8, 0))
    assert code.startswith(b"\x7fELF") and b".text.first" in code and b".text.second" in code


def test_kernels_that_reshape_are_linked():
    v = vector("f64")
    text = "def k(x, n, m):\n    y = x[1 : 1 + n * m].reshape((n, m))\n    y[0, 1] = y[1, 0]\n"
    assert b".text.k" in toolchain.cubin([KernelText("k", text, (v, INT, INT))], (9, 0))


def test_the_words_of_the_arguments():
    kernel = KernelText(
        "k",
        "def k(x, y, f, b, n):\n    x[0, 0] = y[0] + f + b + n\n",
        (
            Array("f64", (Var("n", INT), Var("m", INT)), "S"),
            vector("f32"),
            Scalar("f32"),
            Scalar("bool"),
            INT,
        ),
    )
    words = re.findall(r"\.param \.(\w+)(?: .*)? k_param_\d+", toolchain.ptx([kernel], (9, 0))[0])
    assert words == ["u64"] * (5 + 4) + ["u64"] * (5 + 2) + ["f32", "u8", "u64"]


def test_a_division_by_zero_does_not_leave_the_kernel():
    # with Python's error model it would: nothing raises on a device
    kernel = KernelText("k", "def k(x, y):\n    x[0] = 1.0 / y[0]\n", (vector("f64"),) * 2)
    assert "bra" not in toolchain.ptx([kernel], (9, 0))[0]


def test_the_package_does_not_load_numba_cuda():
    code = "import srcgrad, sys; from srcgrad.backends.cuda import device, simulator; " + (
        "print([m for m in sys.modules if m.startswith(('numba', 'cuda.', 'cupy'))])"
    )
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert out.stdout.strip() == "[]"
