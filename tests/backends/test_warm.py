"""`python -m srcgrad warm-up`: what it compiles is what programs find."""

import os
import subprocess
import sys

PROGRAM = """
import numpy as np
from scipy.special import sph_harm_y

import srcgrad as flow

def total(x):
    return np.exp(np.real(sph_harm_y(2, 1, x, x)))

flow.compile(total)(np.array([1.5, 2.5]))
"""


def run(folder, *arguments):
    env = {**os.environ, "SRCGRAD_CACHE_DIR": str(folder)}
    command = [sys.executable, *arguments]
    away = folder.parent  # `-m` would import the checkout, and a script what is installed
    done = subprocess.run(command, env=env, cwd=away, capture_output=True, text=True, check=False)
    binaries = {f.name: f.stat().st_mtime_ns for f in folder.glob("k_*")}
    return done.returncode, done.stdout + done.stderr, binaries


def test_programs_find_what_was_compiled(tmp_path):
    names = ("exp", "sph_legendre_p")
    code, said, made = run(tmp_path, "-m", "srcgrad", "warm-up", *names)
    assert code == 0 and "sph_legendre_p f32" in said and len(made) == 3, said
    code, said, again = run(tmp_path, "-m", "srcgrad", "warm-up", *names)
    assert code == 0 and again == made, said
    (tmp_path / "program.py").write_text(PROGRAM)
    code, said, after = run(tmp_path, str(tmp_path / "program.py"))
    own = 2  # of the program: its code, and what looks for signals
    assert code == 0 and made.items() <= after.items() and len(after) == len(made) + own, said


def test_what_an_operation_is_made_of_is_compiled(tmp_path):
    code, said, _ = run(tmp_path, "-m", "srcgrad", "warm-up", "logaddexp")
    assert code == 0 and "logaddexp f64" in said and len([*tmp_path.glob("*.o")]) == 2, said


def test_nothing_that_was_compiled_is_left_when_the_folder_is_cleared(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    cache = tmp_path / "cache"
    run(cache, "-m", "srcgrad", "warm-up", "sigmoid")
    run(cache, str(tmp_path / "program.py"))
    kinds = {f.suffix for f in cache.rglob("*")}
    assert {".o", ".nb"} <= kinds
    run(cache, "-m", "srcgrad", "cache", "clear")
    assert not [f for f in cache.rglob("*") if f.is_file()]


def test_another_name_is_refused(tmp_path):
    code, said, _ = run(tmp_path, "-m", "srcgrad", "warm-up", "gamaln")
    assert code == 1 and "no helper for 'gamaln'" in said


def test_routines_are_found(tmp_path):
    code, said, made = run(tmp_path, "-m", "srcgrad", "warm-up", "solve")
    assert code == 0 and "solve f32" in said and len(made) == 4, said  # of matrices and vectors
    solved = PROGRAM.replace(
        "np.exp(np.real(sph_harm_y(2, 1, x, x)))", "np.linalg.solve(x, x[0])"
    ).replace("[1.5, 2.5]", "[[2.0, 1.0], [1.0, 3.0]]")
    (tmp_path / "program.py").write_text(solved)
    code, said, after = run(tmp_path, str(tmp_path / "program.py"))
    assert code == 0 and made.items() <= after.items() and len(after) == 5, said
