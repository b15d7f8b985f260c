"""An attribute of a class whose value is None, read of instances that are made inside."""

import pytest

import srcgrad as flow


class Material:
    limit = None
    _area = None

    def __init__(self, width):
        self.width = width

    @property
    def area(self):
        if self._area is None:
            self._area = self.width**2
        return self._area

    def load(self):
        return self.width if self.limit is None else self.width * self.limit


class Base:
    scale = 2.0

    @property
    def size(self):
        return 7.0


class Without(Base):
    scale = None
    size = None


class Table(dict):
    limit = None


def of_the_class(x):
    return Material(x).load()


def computed_once(x):
    wood = Material(x)
    return wood.area + 2.0 * wood.area


def set_on_some_paths(x):
    wood = Material(x)
    if x > 1.0:
        wood.limit = x * x
    return x * 1.5 if wood.limit is None else wood.limit * x


def set_in_a_loop(x):
    wood = Material(x)
    for _ in range(3):
        wood.limit = x if wood.limit is None else wood.limit * x
    return wood.load()


def none_instead_of_what_a_base_has(x):
    without = Without()
    return x * x if without.scale is None and without.size is None else x


def asked_for(x):
    wood, table = Material(x), Table(a=x)
    known = 2.0 * hasattr(wood, "limit") + 4.0 * hasattr(wood, "length")
    return x * known if getattr(wood, "limit", 1.0) is table.limit else table["a"]


PROGRAMS = [
    of_the_class, computed_once, set_on_some_paths, set_in_a_loop,
    none_instead_of_what_a_base_has, asked_for,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [0.7, 1.7])
def test_values_and_slopes(f, x):
    value, slope = flow.value_and_grad(f, target="python")(x)
    assert value == pytest.approx(f(x), rel=1e-14)
    assert slope == pytest.approx((f(x + 1e-6) - f(x - 1e-6)) / 2e-6, rel=1e-7)


def test_another_value_of_the_class_is_seen_by_the_next_call(monkeypatch):
    compiled = flow.compile(of_the_class, target="python")
    for limit in (None, 3.0, None, 5.0):
        monkeypatch.setattr(Material, "limit", limit)
        assert compiled(2.0) == of_the_class(2.0)
    monkeypatch.delattr(Material, "limit")
    with pytest.raises(AttributeError, match="limit"):
        compiled(2.0)
