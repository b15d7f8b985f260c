"""Small buffers on the stack: who gets a place, how long, and that guarded code watches them."""

import re

import numpy as np
import pytest

from srcgrad.backends.backend import BuildOptions
from srcgrad.backends.cpu.build import build
from srcgrad.backends.cpu.emit import buffers
from srcgrad.backends.cpu.emit.frame import ROOM, STEP, Frame
from srcgrad.ir.nodes import For, If, Var, While, atom
from srcgrad.ir.types import FLOAT, INT
from srcgrad.passes.lower import lower
from tests.backends.backend_programs import Program

OPTIONS = BuildOptions(cache=False)


def test_places_do_not_overlap_and_are_given_again():
    frame = Frame()
    places = [frame.take(size) for size in (1, 16, 40, 40, 0)]
    taken = {k for p in places for k in range(p.start, p.start + p.size)}
    assert len(taken) == sum(p.size for p in places) == frame.size == 16 + 16 + 48 + 48 + 16
    assert all(p.start % STEP == 0 for p in places)
    frame.give(places[2])
    assert frame.take(48) is places[2]
    assert frame.take(48).start == frame.size - 48


def test_a_frame_has_an_end():
    frame = Frame()
    assert all(frame.take(1024) for _ in range(ROOM // 1024))
    assert frame.take(1) is None


def frame_of(function):
    """The bytes of the frame of what is emitted, and how often it asks for memory."""
    text = build(lower(function), OPTIONS).print_compiled().shown()
    found = re.search(r"%frame = alloca \[(\d+) x i8\]", text)
    main = text[text.index("define i32 @") :]
    return int(found[1]) if found else 0, len(
        re.findall(r"call noalias ptr @(?:fresh|carve)", main)
    )


def trips(p, x, n, body):
    """A loop whose trips add what `body` makes of an element to the first one."""

    def trip(i):
        p.b.add_at(x, 0, body(p.b.load(x, i)))

    p.loop(0, n, trip)


def squares(p, v):
    """An element of a buffer that a trip makes for itself."""
    t = p.b.zeros(3, 3, dtype="f64")
    p.b.store(t, 1, 1, p.b.mul(v, v))
    return p.b.load(t, 1, 1)


def test_the_places_of_a_trip_are_those_of_the_next_one():
    p = Program()
    x = p.array("x", None)
    trips(p, x, 3, lambda v: p.b.add(squares(p, v), squares(p, p.b.neg(v))))
    f = p.returns(p.b.load(x, 0))
    assert frame_of(f) == (80, 0)
    assert build(lower(f), OPTIONS)(np.array([1.0, 2.0, 3.0])) == (29.0,)


@pytest.mark.parametrize("way", ["", "guarded"])
def test_who_outlives_a_trip_has_memory_of_its_own(way, monkeypatch):
    """What a loop carries, what a branch hands on, what is returned."""
    monkeypatch.setenv("SRCGRAD_CPU", way)
    p = Program()
    b, n = p.b, p.scalar("n", INT)
    first = b.zeros(2, dtype="f64")
    i, held, out = Var("i", INT), Var("held", first.type), Var("out", first.type)
    with b.block() as body:
        made = b.empty(2, dtype="f64")
        for k in range(2):
            b.store(made, k, b.add(b.load(held, k), float(k + 1)))
    b.append(For(i, atom(0), n, (held,), (first,), tuple(body), (made,), (out,)))
    chosen = Var("chosen", first.type)
    with b.block() as then:
        other = b.empty(2, dtype="f64")
        b.store(other, 0, 5.0)
        b.store(other, 1, 7.0)
    b.append(If(b.gt(n, 3), tuple(then), (), (other,), (out,), (chosen,)))
    f = p.returns(b.load(chosen, 0), chosen)
    if not way:
        assert frame_of(f)[0] == 0
    run = build(lower(f), OPTIONS)
    for n, wanted in ((0, [0, 0]), (2, [2, 4]), (5, [5, 7])):
        value, array = run(n)
        assert value == wanted[0] and array.tolist() == wanted


@pytest.mark.parametrize("way", ["", "guarded"])
def test_what_the_test_of_a_while_makes_is_there_for_the_body(way, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CPU", way)
    p = Program()
    b, x = p.b, p.scalar("x")
    made = [b.zeros(5, 5, dtype="f64") for _ in range(2)]  # for the places that they leave
    old, out = Var("old", FLOAT), Var("out", FLOAT)
    i, end = Var("i", INT), Var("end", INT)
    first = b.add(b.load(made[0], 0, 0), b.load(made[1], 0, 0))
    with b.block() as test:
        seen = b.empty(5, 5, dtype="f64")
        b.store(seen, 1, 2, b.add(x, b.cast(i, x.type)))
        more = b.lt(b.load(seen, 1, 2), 5.0)
    with b.block() as body:
        others = [b.empty(5, 5, dtype="f64") for _ in range(3)]
        for n, other in enumerate(others):
            b.store(other, 1, 2, float(n + 10))
        found = [b.load(other, 1, 2) for other in (seen, *others)]
        total = b.add(old, b.mul(found[0], b.add(found[1], b.add(*found[2:]))))
        after = b.add(i, 1)
    joins = (old, i), (first, atom(0)), tuple(body), (total, after), (out, end)
    b.append(While(tuple(test), more, *joins))
    f = p.returns(out)
    assert build(lower(f), OPTIONS)(1.0) == ((1.0 + 2.0 + 3.0 + 4.0) * 33.0,)


@pytest.mark.parametrize("by", [0, 7])
def test_a_store_behind_a_place_is_found(by, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CPU", "guarded")
    monkeypatch.setattr(buffers, "_inside", lambda w, r, offset: None)

    def stored(at):
        p = Program()
        x = p.array("x", None)
        y = p.b.empty(3, dtype="f64")
        p.b.store(y, p.b.add(x.type.dims[0], at), p.b.load(x, 0))
        return build(lower(p.returns(p.b.load(y, 0))), OPTIONS)

    with pytest.raises(AssertionError):
        stored(by)(np.ones(3))
    assert stored(-1)(np.ones(3))


def test_large_buffers_are_not_on_the_stack():
    p = Program()
    x = p.array("x", None)
    y, z = p.b.zeros(128, dtype="f64"), p.b.zeros(129, dtype="f64")
    for t in (y, z):
        p.b.store(t, 1, p.b.load(x, 0))
    assert frame_of(p.returns(p.b.add(p.b.load(y, 1), p.b.load(z, 1)))) == (1024, 1)
