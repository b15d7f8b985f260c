"""The wide vocabulary, other routes, arguments that share memory; runs that stop and go on."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.fuzz import Check, Options, Settings, check, generate, run
from tests.fuzz.__main__ import main
from tests.fuzz.aliased import sharings
from tests.fuzz.census import CONSTRUCTS, THEMED, census
from tests.fuzz.inputs import laid_out, point
from tests.fuzz.keep import keep
from tests.fuzz.results import parts
from tests.fuzz.routes import JACOBIANS, Route, routes
from tests.fuzz.runner import Result, failures
from tests.fuzz.source import copied, loaded
from tests.fuzz.state import OtherRun, State
from tests.fuzz.subject import Subject
from tests.fuzz.themes.wide_vocabulary import THEMES
from tests.fuzz.tree import Expr, If, Line, Program
from tests.fuzz.trial import Trial
from tests.tools import faults
from tests.tools.kept import ROOT
from tests.tools.turns import share

WIDE = Options(themes=3)


@pytest.mark.about("tests/fuzz/")
# ---- programs ----
def test_every_theme_is_common():
    # of fewer programs the share of the rarest, 0.095, is found too far off
    shares = census((generate(seed, WIDE) for seed in range(1000)), THEMED)
    # three of the themes are drawn, and not each of their moves
    most = 3 / len(THEMES)
    assert not {name: share for name, share in shares.items() if share < 0.5 * most}
    assert {t.moves[0].tags[0] for t in THEMES if t.moves[0].tags} <= set(THEMED)


@pytest.mark.about("tests/fuzz/")
def test_no_construct_of_the_core_is_lost():
    shares = census((generate(seed, WIDE) for seed in range(400)), CONSTRUCTS)
    assert not {name: share for name, share in shares.items() if share < 0.01}


@pytest.mark.about("tests/fuzz/")
def test_programs_run_and_stay_bounded():
    unusable = 0
    for seed in range(150):
        program = generate(seed, WIDE)
        with loaded(program.source(), str(seed)) as namespace, np.errstate(all="ignore"):
            try:
                out = parts(namespace["f"](*copied(point(program).args)))
            except (IndexError, ValueError, TypeError):  # an empty mask, a number in place of 2
                unusable += 1
                continue
        assert len(out) == 1 + len(program.outputs)
        assert all(np.max(np.abs(part)) < 1e5 for part in out)
    assert unusable <= 5


def test_layouts_are_kept_by_copies():
    for layout in ("contiguous", "strided", "reversed", "transposed"):
        array = laid_out(np.arange(12.0).reshape(3, 4), layout)
        (again,) = copied((array,))
        assert again.strides == array.strides and np.array_equal(again, array)
        assert not np.shares_memory(again, array) and array.tolist()[1] == [4.0, 5.0, 6.0, 7.0]


def test_wide_programs_are_right():
    settings = Settings(Check(shared=True, passes="sampled"), themes=3)
    results = list(run(share(range(10_000, 10_012)), settings))
    assert not failures(results)
    assert sum(r.outcome.kind == "ok" for r in results) >= 0.8 * len(results) - 1


def test_wide_programs_to_second_order_and_in_single_precision():
    settings = Settings(Check(order=2, single=True), themes=3)
    results = list(run(share(range(11_000, 11_006)), settings))
    assert not failures(results)


def test_wide_programs_by_their_jacobians():
    results = list(run(share(range(13_000, 13_009)), Settings(Check(passes="jacobians"), themes=3)))
    assert not failures(results)


def test_wide_programs_in_batches():
    results = list(run(share(range(14_000, 14_003)), Settings(Check(passes="batches"), themes=3)))
    assert not failures(results)


def test_wide_programs_on_every_target():
    results = list(run(share(range(12_000, 12_003)), Settings(Check("all"), themes=3)))
    assert not failures(results)


# ---- routes ----
STORES = Program(
    3,
    ("x", "w", "n", "y"),
    (Line("x[1:] *= y[:-1]"),),
    Expr("s", "np.sum(x * y) * w"),
)
READS = Program(4, ("x", "w", "n", "y"), (), Expr("s", "np.sum(x * np.sin(y)) * w"))


def test_routes_of_a_program():
    every = routes("all", ("cpu",), 0)
    assert Route("cpu") in every and Route(off="simplify") in every
    assert Route("loops") in every and Route("loops", off="loop_fission") in every
    sampled = {routes("sampled", (), seed)[0] for seed in range(len(every))}
    assert sampled == {*every} - {Route("cpu")} and routes("none", (), 0) == ()
    assert str(Route("loops", off="loop_fission")) == "loops without loop_fission"


def test_a_wrong_route_is_found(monkeypatch: pytest.MonkeyPatch):
    from srcgrad.passes import pipeline

    assert check(READS, Subject.srcgrad(), Check(passes="all")).kind == "ok"
    taken, gone = Route.taken, []

    def spoilt(self):
        if self.off == "hoist" and self.target != "loops":
            monkeypatch.setattr(pipeline, "PIPELINE", ())
            gone.append("hoist")
        return taken(self)

    def wrong(fn, grad_position):
        import srcgrad as flow

        exact = flow.grad(fn, grad_position)
        factor = 1.001 if gone else 1.0
        return lambda *args: tuple(factor * g for g in exact(*args))

    monkeypatch.setattr(Route, "taken", spoilt)
    real = Subject.srcgrad()
    subject = Subject(real.compile, wrong, real.jvp, real.refusal, real.vjp)
    outcome = check(READS, subject, Check(passes="all"))
    assert (outcome.kind, outcome.stage) == ("wrong", "routes, gradient, python without hoist")


@pytest.mark.parametrize("name", JACOBIANS)
def test_a_wrong_row_is_found(name: str):
    import srcgrad as flow

    def spoilt(transform, fn, positions):
        exact = getattr(flow, transform)(fn, positions)

        def wrong(*args):
            made = exact(*args)
            if transform == name:
                made[0][0][-1] *= 1.0 + 1e-6  # of the first output by the first argument
            return made

        return wrong

    program = replace(READS, body=(Line("x[1:] *= y[:-1]"),), outputs=("x",))
    real = Subject.srcgrad()
    assert check(program, real, Check(passes="jacobians")).kind == "ok"
    outcome = check(program, replace(real, jacobian=spoilt), Check(passes="jacobians"))
    assert (outcome.kind, outcome.stage) == ("wrong", f"routes, gradient, python by {name}")


def test_items_that_are_mixed_up_are_found():
    import srcgrad as flow

    def spoilt(fn, axes):
        batch = flow.vmap(fn, axes)

        def wrong(x, w, n, y):
            return batch(x, w, n, y)[::-1]

        return wrong

    real = Subject.srcgrad()
    assert check(READS, real, Check(passes="batches")).kind == "ok"
    outcome = check(READS, replace(real, vmap=spoilt), Check(passes="batches"))
    assert (outcome.kind, outcome.stage) == ("wrong", "routes, gradient, python in a batch")


def test_wide_programs_by_name():
    results = list(run(share(range(14_000, 14_009)), Settings(Check(passes="names"), themes=3)))
    assert not failures(results)


def test_a_wrong_product_is_found():
    real = Subject.srcgrad()

    def spoilt(fn, positions):
        exact = real.hvp(fn, positions)
        return lambda *args, **named: tuple(1.000001 * g for g in exact(*args, **named))

    assert check(STORES, real, Check(passes="names")).kind == "ok"
    outcome = check(STORES, replace(real, hvp=spoilt), Check(passes="names"))
    assert (outcome.kind, outcome.stage) == ("wrong", "routes, product, python by hvp")


# ---- arguments that share memory ----
def test_sharings_share():
    program = Program(3, ("x", "w", "n", "y", "A"), (), Expr("s", "w"))
    with loaded(program.source(), "shared") as namespace:
        trial = Trial.of(program, namespace["f"])
        made = {name: make() for name, make in sharings(trial)}
    assert made.keys() == {"twice", "overlapping", "reversed", "row"}
    for name, args in made.items():
        other = args[4] if name == "row" else args[3]
        assert np.shares_memory(args[0], other)
        assert all(np.shape(a) == np.shape(b) for a, b in zip(args, trial.at.args, strict=True))


@pytest.mark.parametrize("program", [STORES, READS])
def test_shared_arguments(program: Program):
    assert check(program, Subject.srcgrad(), Check(shared=True)).kind == "ok"


def test_a_value_that_is_not_of_shared_arguments_is_found():
    real = Subject.srcgrad()

    def apart(fn, target):
        compiled = real.compile(fn, target=target)
        return lambda *args: compiled(*copied(args))

    def put_back(fn, target):
        compiled = real.compile(fn, target=target)

        def run(*args):
            fresh = copied(args)
            out = compiled(*fresh)
            for old, new in zip(args, fresh, strict=True):
                if isinstance(old, np.ndarray):
                    old[:] = new
            return out

        return run

    from tests.fuzz.aliased import with_shared

    with loaded(STORES.source(), "shared") as namespace:
        trial = Trial.of(STORES, namespace["f"])
        name, make = next(iter(sharings(trial)))
        for spoilt in (apart, put_back):
            with pytest.raises(Exception, match="value, twice"):
                with_shared(spoilt(trial.fn, "python"), trial, real, name, make)


# ---- long runs ----
def test_a_run_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    asked: list[int] = []

    def results(seeds, settings, jobs):
        for seed in seeds:
            asked.append(seed)
            if seed == 7 and asked.count(7) == 1:
                raise KeyboardInterrupt
            yield Result(seed, check(READS, Subject.srcgrad(), settings.check))

    monkeypatch.setattr("tests.fuzz.__main__.run", results)
    command = ["--programs", "5", "--seed", "5", "--state", str(tmp_path / "state")]
    assert main(command) == 0
    assert asked == [5, 6, 7] and "stopped after 2 programs" in capsys.readouterr().err
    with (tmp_path / "state").open("a") as file:
        file.write('[8, "o')  # cut off
    assert main(command) == 0
    assert asked == [5, 6, 7, 7, 8, 9] and "5 ok" in capsys.readouterr().out
    assert main(command) == 0
    assert asked == [5, 6, 7, 7, 8, 9] and "5 ok" in capsys.readouterr().out
    with pytest.raises(OtherRun):
        main([*command, "--order", "2"])


def test_shapes_that_do_not_fit_leave_the_paths_right_that_do_not_meet_them():
    misfit = Line("s = np.sum(np.zeros(2) + np.array([w, w, w]))")
    never = If(Expr("b", "w > 100.0"), (misfit,))
    met = If(Expr("b", "w < 100.0"), (Line("s = 2.0 * w"),), (misfit,))
    kinds = [
        check(replace(READS, body=(*READS.body, branch)), subject).kind
        for branch in (never, met)
        for subject in (Subject.srcgrad(), replace(Subject.srcgrad(), misfit=()))
    ]
    assert kinds == ["ok"] * 4
    fitting = Line("s = np.sum(np.zeros(3) + np.array([w, w, w]))")
    trial_line = replace(READS, body=(*READS.body, fitting))
    with loaded(trial_line.source(), "fitting") as namespace:
        trial = Trial.of(trial_line, namespace["f"])
        ran = [line for line in range(1, 40) if trial.runs(line)]
        texts = trial_line.source().splitlines()
    assert any("np.zeros(3)" in texts[line - 1] for line in ran)


def test_failures_are_remembered(tmp_path: Path):
    path = tmp_path / "deep" / "state"
    state = State(path, {"what": 1})
    outcome = check(READS, Subject(None, None, None, KeyError), Check())  # type: ignore[arg-type]  (READS is refused first)
    state.add(Result(3, outcome))
    again = State(path, {"what": 1})
    assert again.failing() == [3] and again.done[3].stage == "value"
    assert json.loads(path.read_text().splitlines()[0]) == {"what": 1}


def test_a_failure_is_kept_as_a_program_that_runs(tmp_path: Path):
    program = generate(6, WIDE)
    with faults.inject("zero-after-store"):
        outcome = check(program, Subject.srcgrad())
    path = keep(Result(6, outcome, program), tmp_path, "python", " --themes 3")
    assert path is not None and "--seed 6 --themes 3" in path.read_text()
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, str(path)], env=env, capture_output=True, text=True)
    assert done.stdout == "right\n", done.stderr
    assert keep(Result(6, outcome), tmp_path, "python", "") is None
