"""Captured instances as keys of dicts and members of sets: what their `__eq__` reads is guarded."""

import enum

import pytest

import srcgrad as flow


def kept():
    """A class that compares, two equal instances and one that is not, and containers of them."""

    class Key:
        def __init__(self, n):
            self.n = n

        def __eq__(self, other):
            return isinstance(other, Key) and self.n == other.n

        def __hash__(self):
            return hash(self.n)

    a, b, c = Key(1), Key(1), Key(2)
    return Key, [a, b, c], {a: 2.0, c: 5.0}, {a, c}, {(a, 1): 4.0}


def value(keys, d, s, pairs):
    return lambda x: x * d[keys[1]]


def value_or(keys, d, s, pairs):
    return lambda x: x * d.get(keys[1], 100.0)


def value_of_a_pair(keys, d, s, pairs):
    return lambda x: x * pairs.get((keys[1], 1), 9.0)


def is_key(keys, d, s, pairs):
    return lambda x: x if keys[1] in d else -x


def is_member(keys, d, s, pairs):
    return lambda x: x if keys[1] in s else -x


def is_key_of_one_made(keys, d, s, pairs):
    return lambda x: x * {keys[0]: 3.0}.get(keys[1], 4.0)


def distinct(keys, d, s, pairs):
    return lambda x: x * len(dict.fromkeys(keys))


PROGRAMS = [value, value_or, value_of_a_pair, is_key, is_member, is_key_of_one_made, distinct]


def refill(keys, d, s, pairs):
    """Finds the places of keys anew, as after a change of their hashes."""
    for container in (d, s, pairs):
        container.clear()
    d.update({keys[0]: 2.0, keys[2]: 5.0})
    s.update([keys[0], keys[2]])
    pairs[keys[0], 1] = 4.0


def other_methods(cls, keys, *containers):
    cls.__eq__ = lambda self, other: isinstance(other, cls) and self.n + other.n == 3
    cls.__hash__ = lambda self: 7
    refill(keys, *containers)


def no_methods(cls, keys, *containers):
    del cls.__eq__, cls.__hash__
    refill(keys, *containers)


def other_attribute(cls, keys, *containers):
    keys[1].n = 2


def twice_another(cls, keys, *containers):
    keys[1].n = 2
    keys[1].n = 3


def other_keys(cls, keys, d, s, pairs):
    """Keys that have the texts of those before, and perhaps their places in memory."""
    cls.__repr__ = lambda self: "Key"
    for container in (d, s, pairs):
        container.clear()
    d[cls(2)] = 7.0
    s.add(cls(2))
    pairs[cls(2), 1] = 8.0


CHANGES = [other_methods, no_methods, other_attribute, twice_another, other_keys]


def result(f):
    try:
        return f(1.5)
    except KeyError:
        return KeyError


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_what_an_instance_is_equal_to_is_that_of_the_call(program, change):
    cls, keys, *containers = kept()
    f = program(keys, *containers)
    compiled = flow.compile(f, target="python")
    assert result(compiled) == result(f)
    change(cls, keys, *containers)
    assert result(compiled) == result(f)


def test_members_of_an_enum_are_keys():
    class Colour(enum.Enum):
        RED = 1
        BLUE = 2

    table, held = {Colour.RED: 2.0, Colour.BLUE: 3.0}, [Colour.RED]
    f = flow.grad(lambda x: x * table[held[0]], target="python")
    assert f(1.0) == 2.0
    held[0] = Colour.BLUE
    assert f(1.0) == 3.0
    table[Colour.BLUE] = 4.0
    assert f(1.0) == 4.0


def test_an_eq_beside_the_hash_of_object_is_refused():
    class Key:
        def __eq__(self, other):
            return True

        __hash__ = object.__hash__

    key, table = Key(), {Key(): 2.0}
    with pytest.raises(flow.errors.UnsupportedError, match="the __hash__ of object"):
        flow.compile(lambda x: x * table.get(key, 3.0), target="python")(1.0)
    with pytest.raises(flow.errors.UnsupportedError, match="the __hash__ of object"):
        flow.compile(lambda x: x * len({key, key}), target="python")(1.0)
