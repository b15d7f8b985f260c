"""One notebook, used as notebooks are: cells run again, interrupted, timed; modules reloaded."""

import pytest

from tests.tools.notebooks import error_of, executed, printed_by

CELLS = {
    "defined": """
import importlib, os, signal, threading, time
from pathlib import Path
import numpy as np
import srcgrad as flow

def f(x):
    return x * x

slope = flow.grad(f)
print(slope(3.0))
""",
    "defined again": """
def f(x):
    return x * x * x

print(slope(3.0), flow.grad(f)(3.0))
""",
    "decorated": """
@flow.compile(target="python")
def total(x):
    s = 0.0
    for v in x:
        s += f(v)
    return s

print(flow.grad(total)(np.array([1.0, 2.0])))
""",
    "refused": """
def timed(x):
    return x * time.time()

flow.grad(timed)(1.0)
""",
    "interrupted": """
@flow.compile
def endless(x, n):
    for k in range(n):
        x = np.sin(x + k)
    return x

endless(1.0, 2)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
endless(1.0, 10**12)
""",
    "after it": "print(endless(0.0, 1), flow.grad(endless)(0.0, 1))",
    "imported": """
Path("model.py").write_text("def g(x):\\n    return 2.0 * x\\n")
import model
print(flow.grad(model.g)(1.0))
""",
    "reloaded": """
Path("model.py").write_text("def g(x):\\n    y = x * x\\n    return 5.0 * y\\n")
importlib.invalidate_caches()
importlib.reload(model)
print(flow.grad(model.g)(1.0))
""",
    "timed": """%%timeit -n 2 -r 1
assert slope(3.0) == 6.0
""",
}


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    sources = [source.strip("\n") for source in CELLS.values()]
    with pytest.MonkeyPatch.context() as patch:
        ran = executed(sources, tmp_path_factory.mktemp("notebook"), patch)
    return dict(zip(CELLS, ran, strict=True))


@pytest.mark.parametrize(("name", "text"), [
    ("defined", "6.0\n"), ("defined again", "6.0 27.0\n"), ("decorated", "[ 3. 12.]\n"),
    ("after it", "0.0 1.0\n"), ("imported", "2.0\n"), ("reloaded", "10.0\n"),
])  # fmt: skip
def test_what_a_cell_prints(name, text, cells):
    assert [out for out in cells[name].outputs if out.output_type == "error"] == []
    assert printed_by(cells[name]) == text


def test_a_timed_cell(cells):
    assert "2 loops each" in printed_by(cells["timed"])


def test_an_error_shows_the_cell_and_the_way_out(cells):
    kind, text = error_of(cells["refused"])
    assert kind == "UnsupportedError" and "In[4], line 2, in noisy" in text
    assert "draw them outside and pass them as an argument" in text


def test_compiled_code_is_interrupted(cells):
    kind, text = error_of(cells["interrupted"])
    assert kind == "KeyboardInterrupt" and "endless(1.0, 10**12)" in text
    assert "srcgrad/" not in text
