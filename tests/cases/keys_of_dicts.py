"""Dicts whose keys are texts, some of which only some paths set."""

import numpy as np

from tests.cases.registry import case

X = np.array([0.3, 0.7, 1.1, -0.4, 0.9, 1.6])


@case(X)
@case(0.1 * X)
def keys_that_some_paths_set(x):
    d = {"first": x[0]}
    if x[1] > 0.5:
        d["second"] = x[1] ** 2
    if x[2] > 0.5:
        d["third"] = x[2]
    total = 0.0
    for name, v in d.items():
        total += v * len(name) * (2 if name == "third" else 1)
    if "second" in d:
        total += d["second"] * len(d)
    d.setdefault("third", x[3])
    more = {"second": x[4], "other": x[5], **d}
    return total * d["third"] + sum(more.values()) + more["second"] * d.get("second", 0.3)


@case(X)
@case(0.1 * X)
def keys_that_some_trips_set(x):
    d, e = {}, {"sum": 0.0}
    for v in x:
        e["sum"] = e["sum"] + v
        if v > 0.5:
            d["above"] = d.get("above", 0.0) + v**2
        elif "above" in d:
            d["below"] = v * d["above"]
    try:
        e["sum"] *= d["below"]
    except KeyError:
        e["sum"] -= x[0] ** 2
    if x[2] > 0.5:
        del d["above"]
    return e["sum"] + d.get("above", x[3]) + (d["below"] if d else x[1]) + len(d)


@case(X)
def key_set_by_a_helper(x):
    def noted(found, v):
        if v > 0.5:
            found["large"] = v
        return found

    found = noted({"all": x[0]}, x[1])
    other = found
    other["all"] = other["all"] * 2.0
    same = found == {"large": x[1], "all": 2.0 * x[0]}
    return found["all"] * (found["large"] if "large" in other else 1.0) + same * x[2]


def one_key_or_another(x, limit):
    if x[0] > limit:
        return {"a": x, "n": 1}
    return {"b": x, "n": 2.0}


@case(X, 0.1, wrt=(0,))
@case(X, 9.0, wrt=(0,))
def dicts_of_other_keys(x, limit):
    d = one_key_or_another(x, limit)
    e = {"a": x[0], "b": x[1]} if x[1] > limit else {"b": x[1] * 2.0, "a": x[2]}
    for v in x:
        if v > limit:
            d["last"] = v
    total = np.sum(d.get("a", x * x)) * d["n"] + e["a"] * len(e) + 3.0 * e["b"]
    for name in d:
        total += np.sum(d[name]) * len(name)
    return total + ("a" in d)


@case(X, 0.1, wrt=(0,))
@case(X, 9.0, wrt=(0,))
def containers_under_keys_of_some_paths(x, limit):
    table, held = {}, [x[0]]
    for v in x:
        if v > limit:
            table["last"] = [v, x[1]]
    if x[1] > limit:
        table["inner"] = {"b": x[0], "c": held}
        table["inner"]["b"] = x[2]
    held.append(x[3] ** 2)
    other = table.get("inner", {"b": x[1], "c": [x[1]]})
    total = other["b"] * sum(other["c"]) + len(table)
    return total + sum(table["last"]) * 2.0 if "last" in table else total
