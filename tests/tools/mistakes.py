"""Typical user mistakes: definitions, and the line that raises.

`python -m tests.tools.mistakes FOLDER` runs each as a script and as IPython cells, and prints the
tracebacks that a terminal and a notebook would show; with `users`, those of `mistakes_of_users`.
"""

import contextlib
import io
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path

HEAD = "import numpy as np\nimport srcgrad as flow\nfrom tests.tools.mistakes import on_python\n"


@dataclass(frozen=True)
class Mistake:
    """A mistake; `seen` is what its error has to show besides the line."""

    name: str
    definitions: str
    line: str
    seen: str = ""


def on_python(f):
    """The gradient by the reference backend, which takes no time to compile."""
    import srcgrad as flow

    return flow.grad(flow.compile(f, target="python"))


def _of(name: str, text: str, seen: str = "") -> Mistake:
    *definitions, line = text.strip("\n").split("\n")
    return Mistake(name, "\n".join(definitions), line, seen)


REFUSED = [
    _of("statement", """
def loss(x):
    with open("somewhere") as file:
        return np.sum(x)
flow.grad(loss)(np.ones(3))""", "    with open"),
    _of("random", """
def loss(x):
    return np.sum(x * len(np.random.bytes(3)))
flow.grad(loss)(np.ones(3))""", "np.random.bytes(3)"),
    _of("unknown_name", """
def loss(x):
    return np.summ(x)
flow.grad(loss)(np.ones(3))""", "np.summ"),
    _of("truth_of_an_array", """
def loss(x):
    return x if x > 0 else -x
flow.value_and_grad(loss)(np.ones(3))""", "x if x > 0"),
    _of("axis", """
def loss(x):
    return np.sum(np.sum(x, axis=2))
flow.grad(loss)(np.ones((3, 2)))""", "axis=2"),
    _of("list", """
def loss(x):
    return np.sum(x ** 2)
flow.grad(loss)([1.0, 2.0])""", "x ** 2"),
    _of("helper", """
def helper(x):
    return np.histogramdd(x)
def loss(x):
    return np.sum(helper(x))
flow.grad(loss)(np.ones(3))""", "np.histogramdd(x)"),
    _of("tangent", """
def loss(x):
    return np.sum(np.histogramdd(x))
flow.jvp(loss, (np.ones(3),), (np.ones(3),))""", "np.histogramdd(x)"),
    _of("pullback", """
def loss(x):
    return np.sum(np.histogramdd(x))
flow.vjp(loss, np.ones(3))""", "np.histogramdd(x)"),
]  # fmt: skip
AT_RUN_TIME = [
    _of("bounds", """
def loss(x, k):
    return x[k] * 2.0
flow.grad(loss)(np.ones(3), 5)""", "return x[k]"),
    _of("shapes", """
def loss(x, y):
    return np.sum(x + y)
on_python(loss)(np.ones(3), np.ones(4))""", "np.sum(x + y)"),
    _of("unbound", """
def loss(x):
    if x > 1.0:
        y = x * x
    return y
on_python(loss)(0.5)""", "return y"),
    _of("raised", """
def loss(x):
    if x < 0.0:
        raise ValueError("negative")
    return np.sqrt(x)
on_python(loss)(-0.5)""", 'raise ValueError("negative")'),
    _of("asserted", """
def loss(x):
    assert x > 0.0, "too small"
    return np.sqrt(x)
on_python(loss)(-0.5)""", "assert x > 0.0"),
    _of("singular", """
def loss(a):
    return np.sum(np.linalg.inv(a))
on_python(loss)(np.zeros((2, 2)))""", "np.linalg.inv(a)"),
    _of("called_back", """
def simulate(x):
    raise RuntimeError("no convergence")
simulated = flow.opaque(simulate, 0.0, vjp=lambda primals, g: (g,))
def loss(x):
    return simulated(x) * x
flow.grad(loss)(2.0)""", 'raise RuntimeError("no convergence")'),
]  # fmt: skip
ARGUMENTS = [
    _of("value", "flow.grad(np.sum(np.ones(3)))"),
    _of("ufunc", "flow.grad(np.bitwise_count)"),
    _of("position", "flow.grad(lambda x: x * x, -1)"),
    _of("far_position", """
def square(x):
    return x * x
flow.grad(square, 1)(2.0)"""),
    _of("integer", """
def square(x):
    return x * x
flow.grad(square)(3)"""),
    _of("too_many", """
def square(x):
    return x * x
flow.grad(square)(3.0, 2.0)"""),
    _of("target", "flow.compile(lambda x: x * x, target='gpu')"),
    _of("nothing_returned", """
def square(x):
    x * x
flow.grad(square)(3.0)"""),
    _of("adjoint", """
def square(x):
    return x * x
out, pull = flow.vjp(square, np.ones(3))
pull(np.ones(4))"""),
    _of("module", "flow.hessiann"),
]  # fmt: skip
TENSORS = [
    _of("product", "flow.ones(2, 3) @ flow.ones(2, 3)"),
    _of("sum", "2.0 - flow.ones(3) * flow.ones(2)"),
    _of("dim", "flow.ones(2).sum(dim=3)"),
    _of("index", "flow.ones(2)[5]"),
    _of("attribute", "flow.ones(2).summ()"),
    _of("backward_twice", """
x = flow.ones(2, requires_grad=True)
y = (x * x).sum()
y.backward()
y.backward()"""),
    _of("not_scalar", """
x = flow.ones(2, requires_grad=True)
(x * x).backward()"""),
    _of("to_numpy", """
x = flow.ones(2, requires_grad=True)
x.numpy()"""),
    _of("layer", """
net = flow.nn.Sequential(flow.nn.Linear(2, 3), flow.nn.ReLU())
net(flow.ones(5))"""),
    _of("own_layer", """
class Net(flow.nn.Module):
    def forward(self, x):
        return x @ flow.ones(3)
net = Net()
net(flow.ones(5))""", "x @ flow.ones(3)"),
    _of("optimizer", "flow.optim.SGD([], lr=0.1)"),
    _of("functional", "flow.nn.functional.relu(2.0)"),
]  # fmt: skip
MISTAKES = [*REFUSED, *AT_RUN_TIME, *ARGUMENTS, *TENSORS]


def in_terminal(m: Mistake, folder: Path) -> str:
    """What `python FILE` shows of an error, as the interpreter prints it."""
    file = folder / f"{m.name}.py"
    file.write_text(f"{HEAD}{m.definitions}\n{m.line}\n", encoding="utf-8")
    shown = io.StringIO()
    try:
        exec(compile(file.read_text(), str(file), "exec"), {"__name__": "__main__"})
    except Exception as error:
        kind, tb = type(error), error.__traceback__
        assert tb is not None
        with contextlib.redirect_stderr(shown):
            traceback.print_exception(kind, error, tb.tb_next)
    return shown.getvalue()


def in_ipython(m: Mistake) -> str:
    """What a cell with the definitions and the line shows."""
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance(colors="NoColor")
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        shell.run_cell(f"{HEAD}{m.definitions}\n{m.line}\n")
    return shown.getvalue()


def in_pytest(m: Mistake, folder: Path) -> None:
    """A file with a test that makes the mistake."""
    texts = (HEAD, m.definitions, f"def test_{m.name}():", f"    {m.line}", "")
    (folder / f"test_{m.name}.py").write_text("\n".join(texts), encoding="utf-8")


if __name__ == "__main__":
    from tests.tools.mistakes_of_users import FOLLOWED

    chosen = FOLLOWED if sys.argv[2:] == ["users"] else MISTAKES
    for where, show in (
        ("terminal", lambda m: in_terminal(m, Path(sys.argv[1]))),
        ("ipython", in_ipython),
    ):
        for m in chosen:
            print(f"==== {where} {m.name}", show(m), sep="\n")
