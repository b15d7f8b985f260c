"""A record does what a dataclass of the same fields does."""

import copy
import inspect
import itertools
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from types import SimpleNamespace

import numpy as np
import pytest

from srcgrad.records import record


def _declared(decorate):
    """The same classes, as records or as dataclasses."""

    @decorate(frozen=True)
    class Point:
        x: float
        y: float = 2.0
        note: str = field(default="", compare=False)

    @decorate(frozen=True)
    class Named(Point):
        name: str = field(default="p", kw_only=True)

    @decorate()
    class Bag:
        first: int
        items: list = field(default_factory=list)

        def __post_init__(self):
            self.total = self.first + len(self.items)

    @decorate(eq=False)
    class Cell:
        value: int

    @decorate(frozen=True)
    class Empty:
        pass

    @decorate(frozen=True)
    class Own:
        value: int

        def __repr__(self):
            return "own"

    return SimpleNamespace(Point=Point, Named=Named, Bag=Bag, Cell=Cell, Empty=Empty, Own=Own)


def both(use):
    """What `use` gives for records and for dataclasses: a value, or the type of an exception."""
    out = []
    for decorate in (record, dataclass):
        try:
            out.append(use(_declared(decorate)))
        except Exception as error:
            out.append((type(error), str(error)))
    return out


def shown(x):
    return repr(x).replace("_declared.<locals>.", "")


USES = {
    "construction": lambda c: [
        shown(v) for v in (c.Point(1), c.Point(1, y=3), c.Named(1, name="q"))
    ],
    "missing": lambda c: c.Point(),
    "too many": lambda c: c.Named(1, 2, "", "q"),
    "unknown": lambda c: c.Point(1, z=1),
    "equal": lambda c: [
        a == b
        for made in (c.Point, c.Named, c.Bag, c.Cell, c.Own)
        for a, b in itertools.product((made(1), made(1), made(2), c.Point(1), 1), repeat=2)
    ],
    "equal, not compared": lambda c: [c.Point(1) == c.Point(1, note="n"), c.Empty() == c.Empty()],
    "hash": lambda c: [
        len({c.Point(1), c.Point(1, note="n"), c.Point(2), c.Named(1)}),
        len({c.Cell(1), c.Cell(1)}),
        len({c.Empty(), c.Empty()}),
    ],
    "no hash": lambda c: hash(c.Bag(1)),
    "a default of each instance": lambda c: c.Bag(1).items is c.Bag(1).items,
    "after the constructor": lambda c: (c.Bag(1, [2, 3]).total, c.Bag(1).total),
    "mutable": lambda c: setattr(c.Cell(1), "value", 2),
    "own text": lambda c: repr(c.Own(1)),
    "fields": lambda c: [[f.name for f in fields(k)] for k in vars(c).values()],
    "replace": lambda c: [shown(replace(c.Point(1), y=5.0)), shown(replace(c.Named(1), name="r"))],
    "copies": lambda c: [shown(copy.copy(c.Point(1))), shown(copy.deepcopy(c.Bag(1, [2])))],
    "match": lambda c: (c.Point.__match_args__, c.Named.__match_args__),
}


@pytest.mark.parametrize("use", USES)
def test_as_a_dataclass(use):
    of_record, of_dataclass = both(USES[use])
    assert of_record == of_dataclass


def test_frozen():
    point = _declared(record).Point(1)
    with pytest.raises(FrozenInstanceError, match="'x'"):
        point.x = 2
    with pytest.raises(FrozenInstanceError, match="'x'"):
        del point.x
    with pytest.raises(FrozenInstanceError, match="'other'"):
        point.other = 2


@record(frozen=True)
class Kept:
    """A record at a module's top, as pickle wants it."""

    x: int


def test_pickle():
    assert pickle.loads(pickle.dumps(Kept(1))) == Kept(1)


def test_the_signature_of_a_record_in_use():
    Point = _declared(record).Point
    Point(1)
    assert list(inspect.signature(Point).parameters) == ["x", "y", "note"]


def test_one_field_is_compared_by_identity_first():
    nan = float("nan")
    assert Kept(nan) == Kept(nan) and hash(Kept(3)) != hash(3)
    array = np.ones(2)
    assert Kept(array) == Kept(array)


def test_fields_may_have_any_name():
    """The constructor that is written has no name that a field could have."""
    names = ["values", "put", "cls", "own", "fields", "dict", "object", "make", "frozen"]
    made = record(frozen=True)(type("Named", (), {"__annotations__": dict.fromkeys(names, int)}))
    assert vars(made(*range(len(names)))) == dict(zip(names, range(len(names)), strict=True))
