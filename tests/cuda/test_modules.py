"""Machine code is made once and kept; what is on disk is used only as it was written."""

import subprocess
import sys

import pytest

from srcgrad.backends import cache
from srcgrad.backends.cuda import modules, toolchain
from srcgrad.backends.cuda.device import KernelText
from srcgrad.ir.types import INT, Array, Var

CAPABILITY = (8, 0)


def doubling(name="k", dtype="f64", layout="C", fastmath=False):
    x = Array(dtype, (Var("n", INT),), layout)
    return KernelText(name, f"def {name}(x):\n    x[0] *= x[0].dtype.type(2)\n", (x,), fastmath)


@pytest.fixture
def made(monkeypatch, tmp_path):
    """The kernels that were compiled; machine code is a text here."""
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path))
    compiled = []

    def cubin(kernels, capability):
        compiled.append((tuple(kernels), capability))
        return b"code"

    monkeypatch.setattr(toolchain, "cubin", cubin)
    return compiled


def test_machine_code_is_made_once(made):
    assert modules.machine_code([doubling()], CAPABILITY) == b"code"
    assert modules.machine_code([doubling()], CAPABILITY) == b"code"  # a length of another name
    assert len(made) == 1


def test_what_decides_machine_code_names_it(made, monkeypatch):
    variants = [
        ([doubling()], CAPABILITY),
        ([doubling()], (9, 0)),
        ([doubling(dtype="f32")], CAPABILITY),
        ([doubling(layout="S")], CAPABILITY),
        ([doubling(fastmath=True)], CAPABILITY),
        ([doubling(), doubling("l")], CAPABILITY),
    ]
    for kernels, capability in variants:
        modules.machine_code(kernels, capability)
    monkeypatch.setattr(modules, "release_of", lambda name: "0")
    modules.machine_code([doubling()], CAPABILITY)
    assert len(made) == len(variants) + 1


def test_what_was_changed_on_disk_is_made_anew(made):
    modules.machine_code([doubling()], CAPABILITY)
    (file,) = cache.cache_dir().glob("*.cubin")
    file.write_bytes(file.read_bytes()[:-1])
    assert modules.machine_code([doubling()], CAPABILITY) == b"code"
    assert len(made) == 2


def test_nothing_is_kept_on_demand(made):
    modules.machine_code([doubling()], CAPABILITY, keep=False)
    assert not list(cache.cache_dir().glob("*"))


def test_a_second_process_loads_no_compiler(monkeypatch, tmp_path):
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path))
    code = (
        "import sys; from srcgrad.backends.cuda.modules import machine_code;"
        "from srcgrad.backends.cuda.device import KernelText;"
        "from srcgrad.ir.types import FLOAT;"
        "code = machine_code([KernelText('k', 'def k(x):\\n    y = x\\n', (FLOAT,))], (9, 0));"
        "print(code[:4], 'numba' in sys.modules)"
    )

    def run():
        return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout

    assert run() == b"b'\\x7fELF' True\n"
    assert run() == b"b'\\x7fELF' False\n"
