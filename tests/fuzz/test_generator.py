"""The fuzzer itself: its programs, its ground truth, its shrinker and its verdicts.

No differentiator runs here.  Difference quotients stand in for one, and spoilt ones for a wrong
one, which must be noticed and shrunk to the statement that it gets wrong.
"""

import inspect
from dataclasses import replace

import numpy as np
import pytest

from tests.fuzz import Check, Options, Program, Subject, check, generate, shrink
from tests.fuzz.__main__ import main
from tests.fuzz.census import CONSTRUCTS, census, constructs
from tests.fuzz.generate import SMALL as SMALL_OPTIONS
from tests.fuzz.inputs import dot, point
from tests.fuzz.moves import FAMILIES
from tests.fuzz.results import parts
from tests.fuzz.runner import Result, Settings
from tests.fuzz.shrink import candidates
from tests.fuzz.source import copied, loaded
from tests.fuzz.tree import Expr, Line, size


class Refused(Exception):
    pass


def positions_of(args):
    return tuple(k for k, a in enumerate(args) if not isinstance(a, int))


def column(fn, args, position, index):
    """The quotients of all results by one number of the arguments."""

    def values(step):
        moved = list(copied(args))
        if np.ndim(moved[position]):
            moved[position][index] += step
        else:
            moved[position] += step
        return [np.array(part) for part in parts(fn(*moved))]

    steps = zip(values(1e-4), values(-1e-4), values(2e-4), values(-2e-4), strict=True)
    return [(8 * (a - b) - (c - d)) / 12e-4 for a, b, c, d in steps]


def quotient(fn, args, position, index, adjoints=(1.0,)):
    return dot(column(fn, args, position, index), adjoints)


def fake_gradient(fn, positions, adjoints=(1.0,)):
    def gradient(*args):
        parts = []
        for k in positions:
            slopes = [quotient(fn, args, k, i, adjoints) for i in np.ndindex(np.shape(args[k]))]
            parts.append(np.reshape(slopes, np.shape(args[k])))
        return tuple(parts)

    return gradient


def fake_subject(spoil=lambda fn, gradient: gradient, refuse=lambda fn: False):
    def compile(fn, target):
        if refuse(fn):
            raise Refused("not supported")
        return fn

    def grad(fn, grad_position):
        exact = fake_gradient(fn, grad_position)
        return lambda *args: spoil(fn, exact(*args))

    def jvp(fn, args, tangents):
        rates = 0.0
        for k in positions_of(args):
            for i in np.ndindex(np.shape(args[k])):
                step = tangents[k][i] if i else tangents[k]
                rates = rates + step * np.array(column(fn, args, k, i), object)
        out = fn(*copied(args))
        return out, tuple(rates) if isinstance(out, tuple) else rates[0]

    def vjp(fn, *args):
        kept, positions = copied(args), positions_of(args)

        def pull(*adjoints):
            exact = spoil(fn, fake_gradient(fn, positions, adjoints)(*copied(kept)))
            every = iter(exact)
            return tuple(next(every) if k in positions else None for k in range(len(args)))

        return fn(*copied(args)), pull

    return Subject(compile, grad, jvp, Refused, vjp)


def loose(subject):
    """Outcomes with quotients for a gradient: exact enough for all but the strictest comparison."""
    return [(seed, check(generate(seed), subject)) for seed in range(60)]


def test_same_seed_same_program():
    assert generate(7) == generate(7)
    assert generate(7).source() == generate(7).source()
    assert generate(7) != generate(8)


@pytest.mark.about("tests/fuzz/")
def test_every_construct_is_common():
    shares = census(generate(seed) for seed in range(600))
    rare = {name: share for name, share in shares.items() if share < 0.05}
    assert not rare


@pytest.mark.about("tests/fuzz/")
def test_every_construct_is_in_some_small_program():
    """A limit of size makes the larger templates rare; none is lost."""
    shares = census(generate(seed, SMALL_OPTIONS) for seed in range(600))
    assert not {name: share for name, share in shares.items() if share < 0.01}


@pytest.mark.about("tests/fuzz/")
@pytest.mark.parametrize("options", [Options(), SMALL_OPTIONS])
def test_no_program_is_larger_than_allowed(options):
    assert max(size(generate(seed, options)) for seed in range(300)) <= options.largest
    assert any(size(generate(seed, options)) > options.largest / 2 for seed in range(300))


def test_slow_checks_draw_small_programs():
    assert Settings().drawn == Options()
    assert Settings(Check("cpu")).drawn == Settings(Check(order=2)).drawn == SMALL_OPTIONS


def test_tags_are_constructs():
    tags = {tag for _, moves in FAMILIES for move in moves for tag in move.tags}
    tags |= {tag for seed in range(200) for tag in constructs(generate(seed))}
    assert tags <= set(CONSTRUCTS)


@pytest.mark.about("tests/fuzz/")
def test_programs_run_and_stay_bounded():
    for seed in range(200):
        program = generate(seed)
        with (
            loaded(program.source(), str(seed)) as namespace,
            np.errstate(over="raise", invalid="raise"),
        ):
            out = parts(namespace["f"](*copied(point(program).args)))
            assert len(out) == 1 + len(program.outputs)
            assert all(np.max(np.abs(part)) < 1e4 for part in out)


def test_source_can_be_read_back():
    program = generate(3)
    with loaded(program.source(), "3") as namespace:
        text = inspect.getsource(namespace["f"])
    assert text.startswith("def f(x, w, n")
    assert text in program.source()


def test_few_programs_have_a_kink_at_their_inputs():
    kinds = [outcome.kind for _, outcome in loose(fake_subject(refuse=lambda fn: True))]
    assert set(kinds) <= {"refused", "discarded"}
    assert kinds.count("discarded") <= 0.1 * len(kinds)


def test_right_gradients_are_ok():
    bad = [(s, o) for s, o in loose(fake_subject()) if o.kind not in ("ok", "discarded")]
    assert not bad


def test_wrong_gradient_is_caught():
    spoilt = fake_subject(lambda fn, gradient: (gradient[0] * [1, 1, 1.001, 1], *gradient[1:]))
    outcome = check(SMALL, spoilt)
    assert (outcome.kind, outcome.stage) == ("wrong", "differences, reverse")


def test_mutating_gradient_is_caught():
    def grad(fn, grad_position):
        def gradient(*args):
            args[0][0] += 1.0
            return fake_gradient(fn, grad_position)(*args)

        return gradient

    outcome = check(SMALL, replace(fake_subject(), grad=grad))
    assert outcome.stage == "gradient, arguments after grad"


def test_wrong_value_and_wrong_mutation_are_caught():
    add = lambda fn, target: lambda *args: fn(*args) + 1e-9
    assert check(SMALL, replace(fake_subject(), compile=add)).stage == "value, first call"
    pure = lambda fn, target: lambda *args: fn(*copied(args))
    outcome = check(SMALL, replace(fake_subject(), compile=pure))
    assert outcome.stage == "value, mutation of the arguments"


SEVERAL = Program(
    6,
    ("x", "w", "n"),
    (Line("a = x * w"), Line("x[1] += a[0] * a[2]")),
    Expr("s", "np.sum(a) * x[1]"),
    tuple(Expr("array", text) for text in ("a", "a[1:]", "x", "a * w")),
)


def test_several_results():
    assert check(SEVERAL, fake_subject()).kind == "ok"
    spoilt = fake_subject(lambda fn, gradient: (gradient[0], gradient[1] * 1.001))
    assert check(SEVERAL, spoilt).stage == "differences, reverse"


@pytest.mark.parametrize(
    "change, stage",
    [
        (lambda s, a, b, x, c: (s, a, b, x, c + 1e-9), "value, first call"),
        (lambda s, a, b, x, c: (np.float32(s), a, b, x, c), "value, type of a result"),
        (lambda s, a, b, x, c: (np.array(s), a, b, x, c), "value, type of a result"),
        (lambda s, a, b, x, c: (float(s), a, b, x, c), "ok"),
        (lambda s, a, b, x, c: (s, a.astype("f4"), b, x, c), "value, type of a result"),
        (lambda s, a, b, x, c: (s, a, b.reshape(1, 3), x, c), "value, shape of a result"),
        (lambda s, a, b, x, c: (s, a, b, x), "value, number of results"),
        (lambda s, a, b, x, c: (s, a, b.copy(), x, c), "value, shared memory"),
        (lambda s, a, b, x, c: (s, a, b, x.copy(), c), "value, shared memory"),
        (lambda s, a, b, x, c: (s, a, b, x, a * c / a), "ok"),
    ],
)
def test_results_are_compared_with_all_their_properties(change, stage):
    changed = lambda fn, target: lambda *args: change(*fn(*args))
    forward = lambda fn, args, tangents: fake_subject().jvp(fn, args, tangents)
    subject = replace(fake_subject(), compile=changed, jvp=forward)
    outcome = check(SEVERAL, subject)
    assert (outcome.stage or outcome.kind) == stage


def test_wrong_forward_mode_is_caught():
    def jvp(fn, args, tangents):
        out, out_dot = fake_subject().jvp(fn, args, tangents)
        return out, tuple(part * (1 + 1e-4 * (k == 2)) for k, part in enumerate(out_dot))

    assert check(SEVERAL, replace(fake_subject(), jvp=jvp)).stage == "forward, rate"


def test_single_precision():
    how = Check(single=True)
    exact = fake_subject()

    def grad(fn, grad_position, digits=12, kind=np.float32):
        in_double = exact.grad(fn, grad_position)

        def gradient(*args):
            if args[0].dtype == np.float64:
                return in_double(*args)
            doubled = [a.astype(float) if hasattr(a, "astype") else a for a in args]
            dx, dw = in_double(*doubled)
            return np.round(dx, digits).astype(kind), np.round(dw, digits)

        return gradient

    def jvp(fn, args, tangents):
        doubled = [a.astype(float) if hasattr(a, "astype") else a for a in args]
        return fn(*copied(args)), exact.jvp(fn, doubled, tangents)[1]

    check_with = lambda **how_: check(
        SMALL,
        replace(exact, grad=lambda fn, grad_position: grad(fn, grad_position, **how_), jvp=jvp),
        how,
    )
    assert check_with().kind == "ok"
    assert check_with(kind=np.float64).stage == "float32, dtype"
    assert check_with(digits=1).stage == "float32, reverse against double precision"


def test_crash_and_refusal_are_told_apart():
    def crash(fn, target):
        raise KeyError("rule")

    outcome = check(SMALL, replace(fake_subject(), compile=crash))
    assert outcome.kind == "crashed" and outcome.detail.startswith("KeyError")
    assert check(SMALL, fake_subject(refuse=lambda fn: True)).kind == "refused"


def test_what_cannot_be_built_is_a_crash():
    class Fault(Refused):
        pass

    def unbuilt(fn, target):
        raise Fault("no machine code")

    subject = replace(fake_subject(), compile=unbuilt)
    assert check(SMALL, subject).kind == "refused"
    assert check(SMALL, replace(subject, fault=Fault)).kind == "crashed"
    assert issubclass(Subject.srcgrad().fault, Subject.srcgrad().refusal)


def test_program_that_does_not_run_is_discarded():
    for line, error in [("s = nowhere", "NameError"), ("break", "outside loop")]:
        program = Program(0, ("x", "w", "n"), (Line(line),), Expr("s", "s"))
        outcome = check(program, fake_subject())
        assert outcome.kind == "discarded" and error in outcome.detail


def test_endless_call_is_a_crash():
    def compile(fn, target):
        while True:
            pass

    outcome = check(SMALL, replace(fake_subject(), compile=compile), Check(limit=0.2))
    assert outcome.kind == "crashed" and "TimeoutError" in outcome.detail


def test_candidates_are_never_larger():
    for seed in range(20):
        program = generate(seed)
        assert all(size(c) <= size(program) for c in candidates(program))


def test_shrinks_to_the_statement_at_fault():
    """A gradient that ignores overlapping updates: what is left is one such update."""

    def spoil(fn, gradient):
        wrong = "a[1:] += 0.4 * a[:-1]" in inspect.getsource(fn)
        return (gradient[0] * 1.01, *gradient[1:]) if wrong else gradient

    subject = fake_subject(spoil)
    seeds = (s for s in range(400) if "a[1:] += 0.4 * a[:-1]" in generate(s).source())
    program = next(p for p in map(generate, seeds) if check(p, subject).kind == "wrong")
    failure = check(program, subject)
    small = shrink(program, lambda p: check(p, subject).like(failure), seconds=60)
    assert check(small, subject).like(failure)
    body = small.source().split("def f")[1].splitlines()[1:]
    assert 2 <= len(body) <= 4 and any("a[1:] += 0.4 * a[:-1]" in line for line in body)


def cubic_subject(error=0.0):
    """Exact first and second derivatives of w * sum(x ** 3), and of nothing else."""

    def grad(fn, grad_position):
        if fn.__name__ == "f":
            return lambda x, w, n: (3 * w * x**2, np.sum(x**3))
        return lambda x, w, n, rx, rw: (
            6 * w * x * rx + 3 * x**2 * rw * (1 + error),
            np.sum(3 * x**2 * rx),
        )

    def jvp(fn, args, tangents):
        full = grad(fn, None)(*args)
        return fn(*args), dot(full, (tangents[0], tangents[1]))

    return Subject(lambda fn, target: fn, grad, jvp, Refused)


def test_second_order():
    cubic = Program(5, ("x", "w", "n"), (), Expr("s", "w * np.sum(x ** 3)"))
    assert check(cubic, cubic_subject(), Check(order=2)).kind == "ok"
    outcome = check(cubic, cubic_subject(error=1e-4), Check(order=2))
    assert outcome.stage == "second order, reverse against differences"


def test_command_line(monkeypatch, capsys):
    failing = check(SMALL, replace(fake_subject(), compile=None))

    def results(seeds, settings, jobs):
        assert settings.check.order == 2 and settings.without == "store" and jobs == 2
        return [Result(s, failing, SMALL) for s in seeds]

    monkeypatch.setattr("tests.fuzz.__main__.run", results)
    arguments = "--programs 2 --seed 5 --order 2 --jobs 2 --without store --census"
    assert main(arguments.split()) == 1
    printed = capsys.readouterr().out
    assert "seed 6: crashed at value" in printed and "a = x.copy()" in printed
    assert "2 crashed" in printed and "run-time bound" in printed


SMALL = Program(
    3,
    ("x", "w", "n"),
    (Line("a = x.copy()"), Line("x[0] = 0.5 * a[1]"), Line("a[2] *= w")),
    Expr("s", "np.sum(a * x) + w"),
)
