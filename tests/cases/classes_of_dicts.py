"""Classes that derive from dict: records of results, parameters that are read as attributes."""

import collections
import collections.abc
import contextlib
import copy
import functools
import types

import numpy as np
from scipy.optimize import OptimizeResult

from tests.cases.registry import case, vec


class Attributes(dict):
    """The methods of dict under other names."""

    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__


class Bunch(dict):
    def __init__(self, **kwargs):
        super().__init__(kwargs)

    def __setattr__(self, name, value):
        self[name] = value

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class Doubling(dict):
    """A store of its own, which dict's methods do not call, an attribute and a property."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.extra = 2.0

    def __setitem__(self, key, value):
        dict.__setitem__(self, key, value * 2.0)

    @property
    def total(self):
        return sum(np.sum(v) for v in self.values())


class Reading(dict):
    def __getitem__(self, key):
        return dict.__getitem__(self, key) * 3.0

    def __missing__(self, key):
        return 5.0

    def __setstate__(self, state):
        """The items of a pickle have all."""


class Filling(dict):
    def __missing__(self, key):
        self[key] = value = len(key) * 2.0
        return value


class Ordered(collections.OrderedDict):
    """The order of its items is read and changed; it has attributes too."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.rate = 3.0

    def weighted(self):
        return sum((k + 1) * np.sum(v) * self.rate for k, v in enumerate(self.values()))


@case(vec(3))
def dict_that_keeps_an_order(x):
    a = Ordered(p=x[0], q=x * x)
    total = a.weighted()
    a.move_to_end("p")
    b = a.copy()
    b["r"], b.rate = x[1], 2.0
    b.move_to_end("r", last=False)
    total = total + a.weighted() * b.weighted()
    key, v = b.popitem(last=False)
    same = (a == b) + 2 * (a == Ordered(p=a["p"], q=a["q"])) + 4 * (Ordered(k=1.0) == {"k": 1.0})
    union = b | {"s": x[2], "p": x[1]}
    return total + v * len(key) * same + union.weighted() * isinstance(union, Ordered)


@case(vec(3))
def dict_by_attributes(x):
    a = Attributes(p=x, q=2.0)
    a.r = a.p * a["q"]
    del a.q
    return np.sum(a.r * a["p"]) + len(a) + ("r" in a) + ("q" in a)


@case(vec(3))
def dict_with_a_store_of_its_own(x):
    b = Doubling(p=x)
    b["q"] = x * 3.0
    b.update(z=x[0])
    b.setdefault("u", x[1])
    return b.total * b.extra + np.sum(b["q"] * b["p"])


@case(vec(3))
def dict_with_missing_keys(x):
    c, d = Reading(), Filling(a=x)
    c["a"] = x
    total = np.sum(c["a"]) + np.sum(c.get("a")) + sum(np.sum(v) for v in c.values())
    return total + d["long"] * np.sum(d["a"]) + len(d)


@case(vec(3))
def dict_of_a_class_in_loops_and_branches(x):
    c = Bunch(a=x, b=x * 2.0)
    for i in range(len(x)):
        if x[i] > 0.5:
            c.a = c.a * x[i]
        c["n"] = i
    d = Bunch(a=x, k=1.0) if x[0] > 0.5 else Bunch(a=x * 3.0, k=2.0)
    total = 0.0
    for key, value in c.items():
        total = total * 2.0 + np.sum(value) + len(key)
    return total + np.sum(d.a) * d.k + isinstance(c, dict) + (1 if Bunch() else 0)


def scaled(a, b=1.0):
    return np.sum(a * b)


@case(vec(3))
def dict_of_a_class_among_dicts(x):
    c, d = Bunch(a=x), Bunch(b=x * 2.0)
    c.update(d)
    e, f = dict(c), {**d, "k": 1.0}
    e["a"] = e["a"] * 5.0
    g = c | {"z": x[0]}
    same = float(Bunch(k=1.0) == {"k": 1.0})
    return scaled(**c) + np.sum(e["a"]) + np.sum(f["b"]) + g["z"] * len(g) + same * len(sorted(c))


@case(vec(3))
def copies_of_a_dict_of_a_class(x):
    c = Bunch(a=x * 1.0, b=3.0)
    d, e = copy.copy(c), copy.deepcopy(c)
    d.a = x * 2.0
    e["a"][0] = 1.0
    return np.sum(c.a) + np.sum(d.a) * 2.0 + np.sum(e.a * x) + c.pop("b") + len(c) + len(d)


@case(np.array([0.7, 0.9, 0.3]))
def dicts_of_a_class_in_a_list_that_grows(x):
    found = []
    for i in range(len(x)):
        if x[i] > 0.5:
            found.append(Bunch(v=x[i], w=2.0 * i))
    counts = Bunch()
    for i in range(len(x)):
        counts[int(x[i] * 10)] = x[i]
    return sum(b.v * b.w for b in found) + sum(counts.values()) * len(counts)


class Renamed(collections.UserDict):
    """Settings, some of which had other names once."""

    def __missing__(self, key):
        if "old_" + key in self:
            return self["old_" + key]
        raise KeyError(key)

    def get(self, key, default=None):
        return self[key] if key in self else super().get(key, default)


class Table(collections.abc.Mapping):
    """A mapping by three methods; the others are those of its base."""

    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, key):
        return self.rows[key]

    def __iter__(self):
        return iter(self.rows)

    def __len__(self):
        return len(self.rows)


SETTINGS = Renamed({"gain": 1.5, "old_rate": 0.5})
CONSTANTS = Table({"a": 2.0, "b": 5.0})


@case(vec(3))
def mappings_in_python(x):
    made = Renamed({"first": x[0]})
    made["second"] = x[1] * SETTINGS["rate"]
    total = sum(v * SETTINGS.get("gain", 1.0) for v in made.values())
    for key, value in CONSTANTS.items():
        total += value * x[2] ** len(key)
    if "c" not in CONSTANTS and "gain" in SETTINGS:
        total *= CONSTANTS.get("c", 3.0) + made["second"]
    return total * len(SETTINGS)


class InReverse(dict):
    def __iter__(self):
        return iter(sorted(self.keys(), reverse=True))


class Doubled:
    """A mapping by the two methods that `dict` reads."""

    def __init__(self, v):
        self.v = v

    def keys(self):
        return ["a", "b"]

    def __getitem__(self, key):
        return 2.0 * self.v if key == "a" else self.v**2


def weighted(a, b=2.0, **others):
    return a * b + sum(others.values())


@case(vec(4))
def mappings_taken_at_once(x):
    made = dict(collections.UserDict(a=x[0], b=x[1]), c=x[2])
    made.update(Doubled(x[3]), d=x[2])
    both = {**CONSTANTS, **Doubled(x[1]), "e": x[0]}
    both |= collections.UserDict(f=x[3])
    found = dict(InReverse(a=x[0], b=3.0))
    total = sum(v * (k + 1) for k, v in enumerate([*made.values(), *both.values()]))
    return total * found["a"] + weighted(**Doubled(x[2])) * weighted(**found)


@case(vec(3), np.array([2, 0, 2]))
def mappings_taken_by_dicts_of_the_run(x, keys):
    table = {}
    for k in keys:
        table[k] = x[k]
    table.update(collections.UserDict({5: x[1]}))
    return sum(k * v for k, v in table.items()) * len(table)


def with_any_names(it, node, **others):
    return it * node + others["f"] * others["args"]


@contextlib.contextmanager
def entered_with(node, f):
    yield node * f


@case(vec(3))
def keywords_of_any_name(x):
    made = dict(x={"k": x[0]}, it=x[1], node=x[2], self=2.0)
    made.update(other=[x[1]], owner=x[0])
    ordered = collections.OrderedDict(x=[("k", x[2])])
    counted = collections.Counter(x=2, it=1, iterable=3)
    lists = collections.defaultdict(float, x=x[0], default_factory=x[1])
    space = types.SimpleNamespace(it=x[2], node=x[0])
    bound = functools.partial(with_any_names, node=x[1], f=x[0])(it=x[2], args=3.0)
    with entered_with(f=x[0], node=x[1]) as product:
        total = product * len("{it}{node}".format(**{"it": 1, "node": 2}))
    total += made["x"]["k"] * made["it"] * made["node"] * made["other"][0] * made["owner"]
    total += ordered["x"][0][1] * counted["x"] * counted["iterable"] * lists["x"]
    return total + lists["default_factory"] * space.it * space.node * bound * len(made)


class Linked(dict):
    """Its items are its attributes."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.__dict__ = self


@case(vec(4))
def items_that_are_attributes(x):
    p = Linked(a=x * 2.0, items=x[0])
    p.c = x[1] ** 2
    p["d"] = p.items * 3.0
    p.a = p.a + p.d
    total = np.sum(p["a"]) * p.c + sum([np.sum(v) for v in p.values()])
    del p.c
    return total * len(p) + ("c" in p) + hasattr(p, "c") + getattr(p, "c", x[2])


@case(vec(4))
@case(vec(4) * 3.0)
def attributes_of_one_path(x):
    held = [Linked(v=x[k], n=k, inner=Linked(w=x[k])) for k in range(3)]
    for p in held:
        p.v = p.v * x[3]
        p.inner.w *= 2.0
    if x[0] > 1.0:
        held[0].extra = x[1]
    copied = held[1].copy()
    copied["v"] = x[2]
    more = held[0].get("extra", 2.0)
    return sum([p["v"] * p.n + p["inner"]["w"] for p in held]) * more + copied["v"]


@case(vec(4))
def result_of_an_optimization(x):
    result = OptimizeResult(x=x * 2.0, fun=np.sum(x**2), success=True)
    result.nit = 3
    result["jac"] = 2.0 * result.x
    if result.success:
        result.fun = result.fun * result.get("scale", 2.0)
    del result["nit"]
    result.update(message="done")
    return result.fun * np.sum(result.jac) * len(result) + np.sum(result["x"])


@case(vec(4))
def items_of_unknown_names_that_are_attributes(x):
    p = Linked()
    for v in x:
        p[int(v * 3.0)] = v
    return sum([p[k] * k for k in p]) * len(p)


@case(vec(4))
def dicts_of_the_run_updated(x):
    d, e = {}, {}
    for v in x:
        d[int(v * 10.0)] = v
        e[int(v * 5.0)] = v * 2.0
    d.update()
    d.update(e)
    d.update({3: x[0] ** 2})
    return sum(d.values()) * len(d)
