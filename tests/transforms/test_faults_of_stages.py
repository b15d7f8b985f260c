"""What goes wrong in srcgrad while it builds is its fault, at the user's line, whatever was raised.

The faults are made: a part of a stage is replaced by one that fails. What the user's own code
raises, and the system, arrives as it is.
"""

import inspect
import signal
import traceback
import warnings

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.autodiff import rules
from srcgrad.backends import python
from srcgrad.bridge import kernel
from srcgrad.errors import CompilerError, UnsupportedError, ZeroGradientWarning
from srcgrad.frontend import inlining
from srcgrad.frontend.handlers.registry import FUNCTIONS
from srcgrad.ir import types
from srcgrad.passes import cse
from srcgrad.passes.lower import lowering
from srcgrad.transforms import explain
from tests.fuzz.check import check
from tests.fuzz.generate import SMALL, generate
from tests.fuzz.subject import Subject

X = np.array([0.5, 1.5])
RAISED = (
    KeyError("inner"), types.Unknown("n"), AssertionError(), TypeError("operand"),
    OverflowError("wide"), StopIteration(), ZeroDivisionError(),
)  # fmt: skip


def helper(v):
    return np.tanh(v) * 2.0


def f(x):
    y = x + 1.0
    return np.sum(helper(y))


def line_of(function, fragment):
    lines, first = inspect.getsourcelines(function)
    return first + next(k for k, line in enumerate(lines) if fragment in line)


def failing_at(op, original, error):
    """A function that fails where an argument is the definition of an operation."""

    def broken(*args, **kwargs):
        for a in args:  # a local name, as stages have one
            if getattr(getattr(a, "op", None), "name", "") == op:
                raise error
        return original(*args, **kwargs)

    return broken


OF_SRCGRAD = compile("def broken(*args, **kwargs):\n    raise error\n", "<srcgrad part>", "exec")


def raising(error):
    """A function that raises as one of srcgrad's own does."""
    scope = {"error": error}
    exec(OF_SRCGRAD, scope)
    return scope["broken"]


# ---- stages: each is made to fail, and says at which line, and with which target
def handler(monkeypatch, error):
    monkeypatch.setitem(FUNCTIONS, np.tanh, raising(error))
    return line_of(helper, "np.tanh"), "python"


def call(monkeypatch, error):
    monkeypatch.setattr(inlining, "bind", raising(error))
    return line_of(f, "helper(y)"), "python"


def rule(monkeypatch, error):
    monkeypatch.setattr(rules, "rule_of", failing_at("tanh", rules.rule_of, error))
    return line_of(helper, "np.tanh"), "python"


def a_pass(monkeypatch, error):
    original = cse._Cse.definition
    monkeypatch.setattr(cse._Cse, "definition", failing_at("tanh", original, error))
    return line_of(helper, "np.tanh"), "python"


def lowered(monkeypatch, error):
    monkeypatch.setattr(lowering, "step_of", failing_at("tanh", lowering.step_of, error))
    return line_of(helper, "np.tanh"), "loops"


def printing(monkeypatch, error):
    monkeypatch.setattr(python, "printed", raising(error))
    return line_of(f, "def f"), "python"


STAGES = (handler, call, rule, a_pass, lowered, printing)


def fault_of(run):
    with pytest.raises(CompilerError) as caught:
        run()
    return caught.value


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_that_fails_is_a_fault_at_the_users_line(stage, monkeypatch):
    monkeypatch.delenv("SRCGRAD_DEBUG", raising=False)
    error = KeyError("inner")
    line, target = stage(monkeypatch, error)
    fault = fault_of(lambda: flow.grad(flow.compile(f, target=target))(X))
    assert fault.location.file == __file__ and fault.location.line == line
    assert "this is a fault of srcgrad" in str(fault) and "please report it" in fault.way_out
    assert fault.__cause__ is error
    assert "inner" not in str(fault)


@pytest.mark.parametrize("error", RAISED, ids=lambda e: type(e).__name__)
def test_whatever_was_raised(error, monkeypatch):
    handler(monkeypatch, error)
    compiled = flow.compile(f, target="python")
    gradient = flow.grad(compiled)
    asked = (
        lambda: compiled(X), lambda: gradient(X), lambda: gradient.source("primal", X),
        lambda: gradient.ir("adjoint", X), lambda: gradient.source("numba", X),
        lambda: gradient.explain(X), lambda: flow.vjp(compiled, X),
        lambda: flow.jvp(compiled, (X,), (X,)), lambda: flow.jacrev(compiled)(X),
    )  # fmt: skip
    for ask in asked:
        assert fault_of(ask).__cause__ is error


def test_what_is_only_explained(monkeypatch):
    compiled = flow.compile(f)
    monkeypatch.setattr(explain, "run_passes", raising(KeyError("inner")))
    assert fault_of(lambda: compiled.explain(X)).location.line == line_of(f, "def f")


def test_a_program_that_is_too_deep(monkeypatch):
    """It is refused, as no fault of srcgrad."""
    error = RecursionError("deep")
    line, _ = a_pass(monkeypatch, error)
    with pytest.raises(UnsupportedError, match="nested too deeply") as caught:
        flow.grad(flow.compile(f, target="python"))(X)
    assert caught.value.location.line == line and caught.value.__cause__ is error
    assert not isinstance(caught.value, CompilerError)


def test_sweeps_of_tensors(monkeypatch):
    """They are made when a gradient is first wanted."""
    monkeypatch.setattr(kernel, "partition", raising(KeyError("inner")))
    compiled = flow.compile(f, target="python")
    fault = fault_of(lambda: compiled(flow.tensor(X).requires_grad_()))
    assert fault.location.file == __file__


def test_the_next_call_compiles(monkeypatch):
    gradient = flow.grad(flow.compile(f, target="python"))
    with monkeypatch.context() as broken:
        handler(broken, KeyError("inner"))
        fault_of(lambda: gradient(X))
    np.testing.assert_allclose(gradient(X), 2.0 / np.cosh(X + 1.0) ** 2)


def test_a_traceback_is_short_and_names_the_cause(monkeypatch):
    monkeypatch.delenv("SRCGRAD_DEBUG", raising=False)
    monkeypatch.delenv("SRCGRAD_TRACEBACK", raising=False)
    handler(monkeypatch, KeyError("inner"))
    fault = fault_of(lambda: flow.grad(flow.compile(f, target="python"))(X))
    text = "".join(traceback.format_exception(fault))
    assert text.startswith("KeyError: 'inner'")
    assert {t.filename for t in traceback.extract_tb(fault.__traceback__)} == {__file__}


def test_all_frames_for_who_asks(monkeypatch):
    monkeypatch.setenv("SRCGRAD_DEBUG", "1")
    handler(monkeypatch, KeyError("inner"))
    fault = fault_of(lambda: flow.grad(flow.compile(f, target="python"))(X))
    names = [t.name for t in traceback.extract_tb(fault.__cause__.__traceback__)]
    assert "inline" in names and names[-1] == "broken"


# ---- what passes unchanged
@pytest.mark.parametrize("cls", [MemoryError, KeyboardInterrupt, SystemExit, ImportError, OSError])
def test_what_is_no_fault(cls, monkeypatch):
    handler(monkeypatch, cls("theirs"))
    with pytest.raises(cls, match="theirs"):
        flow.grad(flow.compile(f, target="python"))(X)


class Config:
    def __getattr__(self, name):
        raise RuntimeError(f"no {name}")


class Quotient:
    """A registered class whose parts cannot always be had."""

    def __init__(self, top, below):
        self.top, self.below = top, below


def parts_of_quotient(q):
    return (q.top // q.below,), None


flow.tree.register(Quotient, parts_of_quotient, lambda static, parts: Quotient(parts[0], 1))
CONFIG, INFINITE = Config(), Quotient(1, 0)


def reads_config(x):
    return x * CONFIG.missing


def reads_parts(x):
    return x * INFINITE.top


@pytest.mark.parametrize(
    ("function", "cls"), [(reads_config, RuntimeError), (reads_parts, ZeroDivisionError)]
)
def test_what_the_users_own_code_raises(function, cls):
    with pytest.raises(cls) as caught:
        flow.grad(flow.compile(function, target="python"))(2.0)
    assert type(caught.value) is cls


def test_what_a_handler_of_signals_raises(monkeypatch):
    def stop(*_):
        raise ValueError("out of time")

    def waiting(*args):
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, stop)
    try:
        monkeypatch.setitem(FUNCTIONS, np.tanh, waiting)
        with pytest.raises(ValueError, match="out of time") as caught:
            flow.compile(f, target="python")(X)
    finally:
        signal.signal(signal.SIGINT, before)
    assert type(caught.value) is ValueError


def test_warnings_that_are_errors():
    def blocked(x):
        return np.floor(x)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ZeroGradientWarning):
            flow.grad(flow.compile(blocked, target="python"))(2.5)


# ---- the fuzzer
def test_the_fuzzer_counts_faults_as_crashes(monkeypatch):
    program = generate(3, SMALL)
    subject = Subject.srcgrad()
    assert check(program, subject).kind == "ok"
    monkeypatch.setattr(python, "printed", raising(KeyError("inner")))
    outcome = check(program, subject)
    assert outcome.kind == "crashed" and outcome.detail.startswith("KeyError: 'inner'")
    assert issubclass(CompilerError, UnsupportedError)
