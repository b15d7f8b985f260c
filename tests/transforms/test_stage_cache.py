"""What stages make is read from disk by the next process, if all that they read is the same."""

import random
import subprocess
import sys

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends import cache as files
from srcgrad.ir.clone import clone
from srcgrad.ir.parse import parse
from srcgrad.ir.text import to_text
from srcgrad.ir.walk import walk
from srcgrad.passes import run
from srcgrad.passes.pipeline import checking, without
from srcgrad.primitives import REGISTRY
from srcgrad.transforms import equal_lengths, jacobian_program, specialization, specs, stage_cache
from tests.cases import CASES
from tests.conftest import forget

X = np.array([0.5, 1.5, 2.0])


def energy(x):
    s = 0.0
    for i in range(1, len(x)):
        s += np.sin(x[i] * x[i - 1])
    return s


@pytest.fixture
def made(monkeypatch, tmp_path):
    """The programs that reverse mode has been run on, with a cache folder of this test."""
    monkeypatch.setenv("SRCGRAD_CACHE_STAGES", "1")
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(stage_cache, "LONG", 0)
    found, reverse = [], specs.reverse

    def noted(*args):
        found.append(args[0].name)
        return reverse(*args)

    monkeypatch.setattr(specs, "reverse", noted)
    return found


def gradient(fn=energy, x=X):
    """The gradient and its exact text, built anew."""
    forget()
    g = flow.grad(fn, target="python")
    return g(x.copy()), to_text(built(g))


def built(transformed):
    """The program that the last call of a transformed function has made."""
    (entries,) = transformed._entries.values()
    return entries[0].program.function


# ---- what is read again ----
def test_a_program_that_was_built_is_read(made, tmp_path):
    first, text = gradient()
    again, same = gradient()
    assert made == ["energy"] and len([*tmp_path.glob("s_*.ir")]) == 3
    np.testing.assert_array_equal(again, first)
    assert same == text


def test_a_second_process_reads_it_whatever_its_hashes(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\nimport srcgrad as flow\nfrom srcgrad.transforms import specs\n"
        "reverse = specs.reverse\n"
        "specs.reverse = lambda *a: (print('reverse'), reverse(*a))[1]\n"
        "def f(x, y):\n    z = {'a': x * y, 'b': np.exp(x)}\n"
        + "    z['a'] = np.where(z['a'] > 1, z['b'], z['a'] * y)\n"
        * 20
        + "    return (z['a'] * z['b']).sum()\n"
        "print(flow.grad(f, target='python')(np.arange(3.0), np.ones(3)))\n"
    )
    shown = []
    for seed in "123":
        done = subprocess.run(
            [sys.executable, str(program)], capture_output=True, text=True, check=True,
            env={**stage_cache.os.environ, "SRCGRAD_CACHE_STAGES": "1", "PYTHONHASHSEED": seed,
                 "SRCGRAD_CACHE_DIR": str(tmp_path / "cache")},
        )  # fmt: skip
        shown.append(done.stdout)
    assert shown[0] == "reverse\n" + shown[1] and shown[1] == shown[2]


def test_an_error_of_a_program_that_was_read_names_the_line(made):
    def f(x, k):
        y = x * 2.0
        return y[k] * y[0]

    forget()
    messages = []
    for _ in range(2):
        forget()
        with pytest.raises(IndexError) as error:
            flow.grad(f, target="python")(X, 7)
        messages.append(str(error.value))
    assert made == ["f"] and messages[0] == messages[1] and "return y[k] * y[0]" in messages[0]


# ---- what is made anew ----
def scaled(factor):
    def f(x):
        return np.sum(np.where(x > factor, x * x, -x))

    return f


def test_another_number_in_the_program_is_another_entry(made):
    def one(x):
        return np.sum(x * 2.0)

    def other(x):
        return np.sum(x * -0.0)

    for fn in (one, other):
        gradient(fn)
    np.testing.assert_array_equal(gradient(other)[0], [-0.0] * 3)
    assert made == ["one", "other"]


def test_passes_that_are_switched_off_make_another_entry(made):
    gradient()
    with without("cse"):
        gradient()
    assert len(made) == 2


def test_nothing_is_read_where_the_checker_runs(made):
    gradient()
    with checking():
        gradient()
    assert len(made) == 2


def test_short_programs_are_made_again(made, monkeypatch, tmp_path):
    monkeypatch.setattr(stage_cache, "LONG", 60)
    gradient()
    gradient()
    assert len(made) == 2 and not [*tmp_path.iterdir()]


@pytest.mark.parametrize("value", ("0", "1"))
def test_the_environment_switches_it_off(made, monkeypatch, value):
    monkeypatch.setenv("SRCGRAD_CACHE_STAGES", value)
    gradient()
    gradient()
    assert len(made) == (1 if value == "1" else 2)


def test_cache_false_keeps_nothing(made, tmp_path):
    for _ in range(2):
        gradient(flow.compile(energy, cache=False))
    assert len(made) == 2 and not [*tmp_path.iterdir()]


def test_a_changed_file_of_the_package_outdates_all(made, monkeypatch):
    gradient()
    monkeypatch.setattr(stage_cache, "_states", lambda folder: iter(["another state"]))
    stage_cache._made_by.cache_clear()
    gradient()
    stage_cache._made_by.cache_clear()
    assert len(made) == 2


def test_a_damaged_entry_is_made_again(made, tmp_path):
    first, _ = gradient()
    for file in tmp_path.glob("s_*.ir"):
        file.write_bytes(file.read_bytes()[:-1] + b"?")
    again, _ = gradient()
    np.testing.assert_array_equal(again, first)
    assert len(made) == 2


def test_a_rule_of_the_users_is_not_kept(made):
    factors = []

    @flow.custom_vjp
    def f(x):
        return x * 3.0

    f.defvjp(lambda x: (f(x), x), lambda x, g: (g * factors[-1],))
    for factor in (3.0, 5.0):
        factors.append(factor)
        found, _ = gradient(lambda x: np.sum(f(x)))
        np.testing.assert_array_equal(found, [factor] * 3)


# ---- descriptions ----
def described(function):
    return stage_cache.marshal.dumps(stage_cache._Described().value(function), 2)


TEXT = """
def f(x: f64[n], k: int):
    n: int = dim(x, axis=0)
    a: f64 = load(x, k)
    b: f64 = mul(a, {0})
    return (b,)
"""


def test_copies_are_described_alike_and_other_programs_otherwise():
    function = parse(TEXT.format("2.0"), REGISTRY)
    assert (
        described(function)
        == described(clone(function))
        == described(parse(TEXT.format("2.0"), REGISTRY))
    )
    others = [TEXT.format(k) for k in ("3.0", "-2.0", "0.0", "-0.0", "a")]
    found = {described(parse(t, REGISTRY)) for t in (TEXT.format("2.0"), *others)}
    assert len(found) == 6


def test_a_stage_reads_what_another_made_by_its_name(made):
    function = parse(TEXT.format("2.0"), REGISTRY)
    with stage_cache.keeping(True):
        once = stage_cache.kept(run, function)
        name = stage_cache._entries[once]
        other = stage_cache.kept(run, parse(TEXT.format("3.0"), REGISTRY))
        assert name.startswith("s_") and stage_cache._entries[other] != name
        assert stage_cache._entries[stage_cache.kept(run, clone(function))] == name
        assert function not in stage_cache._entries
        assert stage_cache._entries[stage_cache.kept(run, once)] != name


def test_no_stage_changes_what_it_reads(made, monkeypatch):
    """Else the name of an entry would no longer say what the next stage reads."""
    wanted, used, plain = {}, [], stage_cache.kept

    def watched(stage, function, *read):
        if function in stage_cache._entries:
            used.append(stage)
            assert described(function) == wanted[function]
        result = plain(stage, function, *read)
        if result in stage_cache._entries:
            wanted[result] = described(result)
        return result

    for module in (specs, equal_lengths, specialization, jacobian_program):
        monkeypatch.setattr(module, "kept", watched)
    for case in random.Random(1).sample([c for c in CASES if c.cpu], 40):
        primal = flow.compile(case.fn, target="python")
        for transform in (flow.value_and_grad, flow.jacrev):
            try:
                transform(primal, grad_position=case.position)(*case.arguments())
            except (flow.errors.SrcgradError, ArithmeticError, IndexError):
                continue
    assert len(used) > 100


def test_functions_without_a_name_are_foreign():
    for foreign in (lambda: 0, energy, scaled(1.0), stage_cache.partial(energy), np.sin):
        with pytest.raises(stage_cache._Foreign):
            described((foreign,))
    assert described((specs._reverse,)) and described((np.float32(2.0), np.dtype("f4")))


def test_programs_of_cases_survive():
    chosen = random.Random(0).sample([c for c in CASES if c.cpu], 60)
    survived = 0
    for case in chosen:
        g = flow.compile(case.fn, target="python")
        try:
            g(*case.arguments())
        except Exception:
            continue
        function = built(g)
        try:
            of = described(function)
        except stage_cache._Foreign:
            continue
        copy = stage_cache._Unpickler(stage_cache.io.BytesIO(pickled(function))).load()
        assert to_text(copy) == to_text(function) and described(copy) == of, case.id
        places = [[s.loc for s in walk(f.body)] for f in (copy, function)]
        assert places[0] == places[1]
        survived += 1
    assert survived > 40


def pickled(function):
    out = stage_cache.io.BytesIO()
    stage_cache._Pickler(out, 5).dump(function)
    return out.getvalue()


def test_the_command_line_knows_the_files(made, tmp_path, capsys):
    from srcgrad.command_line import main

    gradient()
    assert files.cache_dir() == tmp_path and [*tmp_path.glob("s_*.ir")]
    main(["cache", "clear"])
    assert not [*tmp_path.glob("s_*.ir")]
