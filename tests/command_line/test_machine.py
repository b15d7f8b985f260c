"""Commands on the installation, and the limit of the cache folder."""

import os
import subprocess
import sys
import time

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends import cache_files, private
from srcgrad.command_line import main
from tests.tools.code_map import code_map


def test_info_names_versions(capsys):
    assert main(["info"]) == 0
    assert f"numpy      {np.__version__}" in capsys.readouterr().out


def test_version(capsys):
    with pytest.raises(SystemExit) as done:
        main(["--version"])
    assert done.value.code == 0 and capsys.readouterr().out.strip() == flow.__version__


def test_a_reader_that_closes_the_pipe_is_no_error():
    command = [sys.executable, "-m", "srcgrad", "help"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_errors_are_explained(capsys):
    assert main(["help", "ShapeError"]) == 0
    assert "a ValueError" in capsys.readouterr().out
    assert main(["help"]) == 0
    assert "UnsupportedError" in capsys.readouterr().out
    assert main(["help", "ShapeErrors"]) == 2
    assert "did you mean ShapeError?" in capsys.readouterr().out


def test_the_map_of_the_code():
    """Each folder and file of the package says what it is for."""
    lines = code_map().splitlines()
    assert len(lines) > 300 and not [line for line in lines if len(line.split()) < 4]
    assert "srcgrad/passes/lower/" in code_map("passes/lower")
    with pytest.raises(FileNotFoundError, match="'nowhere'"):
        code_map("nowhere")


# ---- the cache folder ----
@pytest.fixture
def folder(tmp_path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path))
    return tmp_path


def made(folder, name: str, size: int, days: float):
    file = folder / name
    file.write_bytes(b"x" * size)
    os.utime(file, (time.time() - days * private.DAY,) * 2)
    return file


def test_clear_deletes_only_generated_files(folder, capsys):
    ours, theirs = made(folder, "loss_0123456789abcdef.py", 10, 0), made(folder, "thesis.py", 10, 0)
    assert main(["cache", "list"]) == 0
    assert "loss_0123456789abcdef.py" in capsys.readouterr().out
    assert main(["cache", "clear"]) == 0
    assert "1 files" in capsys.readouterr().out
    assert theirs.exists() and not ours.exists()


def test_what_was_used_longest_ago_exceeds_the_limit(folder, monkeypatch, capsys):
    monkeypatch.setenv("SRCGRAD_CACHE_LIMIT", "1000")
    old = (
        made(folder, "k_0123456789abcdef.py", 10, 9),
        made(folder, "k_0123456789abcdef-1.nbc", 600, 9),
    )
    new = (
        made(folder, "k_1123456789abcdef.py", 10, 1),
        made(folder, "k_1123456789abcdef-1.nbc", 600, 1),
    )
    assert main(["cache", "limit"]) == 0
    assert "610. bytes deleted" in capsys.readouterr().out
    assert all(f.exists() for f in new) and not any(f.exists() for f in old)
    monkeypatch.setenv("SRCGRAD_CACHE_LIMIT", "off")
    assert cache_files.limit(folder) == 0


def test_a_file_that_is_loaded_counts_as_used(folder):
    from srcgrad.backends import cache

    cache.keep_bytes("k_0123456789abcdef.o", b"code")
    file = folder / "k_0123456789abcdef.o"
    os.utime(file, (0, 0))
    assert cache.kept_bytes(file.name) == b"code"
    assert time.time() - file.stat().st_mtime < 60


def test_a_process_applies_the_limit_at_its_end(folder):
    old = made(folder, "k_0123456789abcdef.o", 4000, 9)
    program = (
        "from srcgrad.backends import cache; cache.keep_bytes('k_1123456789abcdef.o', b'code')"
    )
    environment = {**os.environ, "SRCGRAD_CACHE_LIMIT": "2kB"}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
    assert not old.exists() and (folder / "k_1123456789abcdef.o").exists()
