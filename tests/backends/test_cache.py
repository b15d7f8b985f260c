"""The cache folder: a second process compiles nothing; what is corrupt or foreign is rebuilt."""

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
from srcgrad.backends.cpu.emit.called import CALLED
from srcgrad.passes.lower import fuse
from tests.backends.backend_programs import Program

SCRIPT = """
import numpy as np
from tests.backends.test_cache import doubled
f = doubled()
print(f(np.arange(3.0))[0].tolist())
"""


def doubled():
    p = Program()
    x = p.array("x", None)
    return build(fuse(p.returns(p.b("mul", x, 2.0))), BuildOptions())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    return tmp_path / "cache"


def in_another_process(folder):
    root = str(Path(srcgrad.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": root, "NUMBA_DEBUG_CACHE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "[0.0, 2.0, 4.0]" in done.stdout
    return [
        line for line in done.stdout.splitlines() if line.startswith("[cache]") and "k_" in line
    ]


def stored(folder, pattern):
    return sorted(folder.rglob(pattern))


def module_texts(folder):
    return {f.name: f.read_text() for f in stored(folder, "k_*[0-9a-f].py")}


def test_a_second_process_compiles_nothing(folder):
    first = in_another_process(folder)
    assert any("data saved" in line for line in first)
    second = in_another_process(folder)
    assert any("data loaded" in line for line in second)
    assert not any("data saved" in line for line in second)


@pytest.mark.parametrize("pattern", ["k_*.py", "*.nbi", "*.nbc", "k_*.sum.py"])
@pytest.mark.parametrize("content", [b"", b"raise SystemExit('foreign')\n", None])
def test_a_corrupt_or_foreign_entry_is_rebuilt(folder, pattern, content):
    assert doubled()(np.arange(3.0))[0].tolist() == [0.0, 2.0, 4.0]
    files, texts = stored(folder, pattern), module_texts(folder)
    assert files and texts
    for file in files:
        damaged = bytearray(file.read_bytes())
        damaged[len(damaged) // 2] ^= 255
        file.write_bytes(bytes(damaged) if content is None else content)
    assert doubled()(np.arange(3.0))[0].tolist() == [0.0, 2.0, 4.0]
    assert module_texts(folder) == texts


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
    known = environment_of.environment()
    for module in CALLED:
        assert (here / f"{module}.py").read_text(encoding="utf-8") in known, module
