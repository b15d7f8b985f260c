"""The pipeline: passes in order, each of which may be left out, each watched if asked."""

import threading

import pytest

from srcgrad.ir.nodes import Function
from srcgrad.passes import PIPELINE, Pass, PassError, checking, run, without
from tests.passes.pass_programs import agree, count, program, text, vec

X = vec(1.0, 2.0, 3.0)
BODY = """
s: f64 = v
t: f64 = v
for i in range(0, n):
    j: int = index(i, n, axis=0)
    a: f64 = sin(v)
    b: f64 = sin(v)
    c: f64 = load(x, j)
    d: f64 = mul(a, c)
    e: f64 = mul(b, c)
    f: f64 = add(d, e)
    s1: f64 = add(s, f)
    s, t = s1, t
"""


def example():
    return program("x: f64[n], v: f64", BODY, "s, t,")


def test_all_passes_together():
    with checking():
        new = agree(run, example(), (X, 0.5), (vec(), 0.5))
    lines = text(new).splitlines()
    assert lines[0] == "a: f64 = sin(v)"
    assert lines[-1] == "return (s, v,)"
    assert count(new, "index") == 0 and count(new, "mul") == 1


@pytest.mark.parametrize("name", sorted({p.name for p in PIPELINE}))
def test_any_pass_may_be_left_out(name):
    with checking(), without(name):
        agree(run, example(), (X, 0.5), (vec(), 0.5))


def test_a_pass_left_out_does_not_run():
    with without("cse"):
        assert count(agree(run, example()), "sin") == 2
    assert count(agree(run, example()), "sin") == 1


def test_other_threads_do_not_notice():
    found = []
    with without("cse"):
        other = threading.Thread(target=lambda: found.append(count(agree(run, example()), "sin")))
        other.start()
        other.join()
    assert found == [1]


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="no pass is called comon"), without("comon"):
        pass


def _illegal(function):
    return Function(function.name, function.params, (), function.returns)


def _crash(function):
    raise KeyError("oops")


@pytest.mark.parametrize(("wrong", "text"), [(_illegal, "n"), (_crash, "oops")])
def test_a_broken_pass_is_named_and_the_program_kept(wrong, text):
    with checking(), pytest.raises(PassError, match=f"the pass wrong: .*{text}") as e:
        run(example(), passes=(*PIPELINE[:1], Pass("wrong", wrong)))
    assert e.value.name == "wrong"
    assert "def f(" in e.value.before and e.value.after


def test_an_illegal_program_is_not_blamed_on_the_first_pass():
    with checking(), pytest.raises(PassError, match="before the passes: ") as e:
        run(_illegal(example()))
    assert e.value.name == "" and "def f(" in e.value.before


def test_the_environment_switches_the_checks_on(monkeypatch):
    run(example(), passes=(Pass("wrong", _illegal),))
    monkeypatch.setenv("SRCGRAD_DEBUG", "1")
    with pytest.raises(PassError):
        run(example(), passes=(Pass("wrong", _illegal),))
