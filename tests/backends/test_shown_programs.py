"""The Python text that is shown for a program runs, and computes what the program computes."""

import pytest

import srcgrad as flow
from srcgrad.backends.backend import Executable
from srcgrad.backends.cpu import build
from srcgrad.backends.cpu.text.module import text_of
from srcgrad.ir.types import Scalar, np_dtype
from tests.cases import Case, sample
from tests.checks.comparing import close
from tests.tools.modes import Modes
from tests.tools.turns import share


def as_text(function, options):
    """Runs the text; numbers are NumPy's, whose quotients by zero are infinite."""
    scope = {}
    text = text_of(function).text
    name = text.partition("\ndef ")[2].partition("(")[0]
    exec(text, scope)
    kinds = [np_dtype(p.type.dtype).type if isinstance(p.type, Scalar) else None
             for p in function.params]  # fmt: skip

    def run(*args):
        given = [a if k is None else k(a) for k, a in zip(kinds, args, strict=True)]
        return scope[name](*given)

    return Executable(run, lambda: text_of(function))


def test_a_number_on_its_way_to_python_is_shown_as_it_is():
    """It was a call of `np.<lambda>`."""
    shown = flow.compile(lambda x: round(x, 1) * x).source("primal", 1.7)
    assert "call_back(1, x," in str(shown)


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("case", share(sample(60)), ids=lambda c: c.id)
def test_the_text_computes_the_same(case: Case, monkeypatch: pytest.MonkeyPatch):
    want_value, want = Modes(case).value_and_grad(case.arguments())
    monkeypatch.setattr(build, "build", as_text)
    value, grads = Modes(case, "cpu").value_and_grad(case.arguments())
    close(value, want_value, 1e-11, "value")
    close(grads, want, 1e-10, "gradient")
