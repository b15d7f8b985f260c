"""The cache folder: a second process compiles nothing; what is damaged is made again."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import srcgrad
from srcgrad.backends import cache
from srcgrad.backends.backend import BuildOptions
from srcgrad.backends.cpu import environment as environment_of
from srcgrad.backends.cpu.build import build
from srcgrad.backends.cpu.emit import numba_internals
from srcgrad.backends.cpu.emit.called import CALLED
from srcgrad.passes.lower import fuse
from tests.backends.backend_programs import Program

SCRIPT = """
import numpy as np
from tests.backends.test_cache import doubled
f = doubled()
print(f(np.arange(3.0))[0].tolist(), f.compile())
"""


def doubled(factor=2.0):
    p = Program()
    x = p.array("x", None)
    return build(fuse(p.returns(p.b.mul(x, factor))), BuildOptions())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def in_another_process():
    root = str(Path(srcgrad.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": root}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def result(f):
    return f(np.arange(3.0))[0].tolist()


def test_a_second_process_compiles_nothing(folder, monkeypatch):
    assert in_another_process() == "[0.0, 2.0, 4.0] True\n"  # the second time it is there
    monkeypatch.setattr(numba_internals, "optimised", None)
    f = doubled()
    assert result(f) == [0.0, 2.0, 4.0] and f.compile()


@pytest.mark.parametrize("content", [b"", b"foreign", None])
def test_a_damaged_entry_is_made_again(folder, content, monkeypatch):
    assert result(doubled()) == [0.0, 2.0, 4.0]
    (file,) = folder.iterdir()
    damaged = bytearray(file.read_bytes())
    damaged[len(damaged) // 2] ^= 255
    file.write_bytes(bytes(damaged) if content is None else content)
    assert result(doubled()) == [0.0, 2.0, 4.0]
    monkeypatch.setattr(numba_internals, "optimised", None)
    assert result(doubled()) == [0.0, 2.0, 4.0]  # of the file


def test_files_that_were_exchanged_are_made_again(folder, monkeypatch):
    """Each is whole, and other functions' machine code is no machine code of this one."""
    for factor in (2.0, 3.0):
        doubled(factor)(np.arange(3.0))
    first, second = folder.iterdir()
    contents = first.read_bytes(), second.read_bytes()
    first.write_bytes(contents[1])
    second.write_bytes(contents[0])
    assert in_another_process() == "[0.0, 2.0, 4.0] True\n"
    assert result(doubled(3.0)) == [0.0, 3.0, 6.0]
    monkeypatch.setattr(numba_internals, "optimised", None)
    assert result(doubled()) == [0.0, 2.0, 4.0] and result(doubled(3.0)) == [0.0, 3.0, 6.0]


def test_a_folder_that_cannot_be_written_costs_the_cache_only(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(blocked / "cache"))
    assert doubled()(np.arange(3.0))[0].tolist() == [0.0, 2.0, 4.0]


def test_the_name_depends_on_text_and_versions():
    name = cache.module_name("text", ("1.0",))
    assert name == cache.module_name("text", ("1.0",))
    assert name != cache.module_name("text", ("1.1",)) != cache.module_name("text!", ("1.0",))
    assert len(name) >= len("k_") + 16


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {"SRCGRAD_CACHE_DIR": "/x/y"}, "/x/y"),
        ("linux", {"XDG_CACHE_HOME": "/x"}, "/x/srcgrad"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, "/home/u/.cache/srcgrad"),
        ("darwin", {}, "/home/u/Library/Caches/srcgrad"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/srcgrad/Cache"),
    ],
)
def test_where_the_folder_is(monkeypatch, platform, variables, expected):
    for name in ("SRCGRAD_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/u"))
    assert cache.cache_dir() == Path(expected)


def test_what_is_linked_in_decides_the_name():
    """Each file whose functions a program may call: another text of it is another machine code."""
    here = Path(environment_of.__file__).parent
    for module in CALLED:
        assert (here / f"{module}.py").read_text(encoding="utf-8") in environment_of.texts(), module


@pytest.mark.parametrize("changed", ["texts", "numba_version"])
def test_what_the_environment_is_made_of(changed, monkeypatch):
    known, own = environment_of.environment(), getattr(environment_of, changed)()
    monkeypatch.setattr(environment_of, changed, lambda: own[:-1])
    assert environment_of.environment.__wrapped__() != known
    monkeypatch.setattr(environment_of, changed, lambda: own)
    assert environment_of.environment.__wrapped__() == known
