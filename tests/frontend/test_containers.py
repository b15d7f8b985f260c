"""Lists, dicts and their views do what Python's do, NaN and changes while a loop runs included."""

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import agrees, raises_alike, slope_agrees

NAN = float("nan")


def members(x):
    pair, items = (x, 2.0), [1.0, x]
    return (
        x in pair, 3.0 in pair, x in items, items == [1.0, x], (x, 1) == (x + 0.0, 1),
        items.count(x), items.index(x), pair.index(2.0), x not in pair,
    )  # fmt: skip


@pytest.mark.parametrize("x", [NAN, 1.0, 2.0])
def test_an_item_is_found_if_it_is_the_object_or_equal(x):
    agrees(members, x)


def test_constants_are_compared_as_objects_too():
    agrees(lambda x: (np.nan in [np.nan], float("nan") in [float("nan")], [NAN] == [NAN]), 1.0)


@pytest.mark.parametrize("x", [2.0, 5.0])
def test_in_an_array_means_any_element(x):
    agrees(lambda x, a: x * 2.0 if x in a else x * 3.0, x, np.arange(6.0).reshape(2, 3)[:, ::2])


def test_an_array_is_in_a_list_that_holds_it():
    agrees(lambda x: x in [x, x * 2.0], np.ones(3))


def test_what_is_not_in_a_list_raises():
    raises_alike(lambda x: [x, 1.0].index(3.0), 2.0)
    raises_alike(lambda x: (x, 1.0).index(3.0), 2.0)


def views(x):
    table = {"a": x}
    keys, values, items = table.keys(), table.values(), table.items()
    table["b"] = 1.0
    other = {"b": 1.0, "c": 2.0}
    return (
        len(keys), len(values), len(items), sum(values), list(keys), list(items), list(values),
        sorted(keys & other.keys()), sorted(keys | other.keys()), sorted(keys - other.keys()),
        "b" in keys, x in values, ("a", x) in items, bool(keys), keys == {"a", "b"},
        list(reversed(table)), [k for k in keys], x in {}.values(),
    )  # fmt: skip


def test_views_show_what_a_dict_holds_later():
    agrees(views, 3.0)


def joined(x):
    table, other = {"a": x, "b": 2 * x}, {"b": 1.0, "c": x}
    both, same = table | other, table
    same |= other
    same |= [("q", x)]
    last = same.popitem()
    return both, table, same is table, last, dict.fromkeys(["u", "v"], x)


def test_dicts_are_joined():
    agrees(joined, 3.0)


def grows(x):
    table = {"a": x}
    for k in table:
        table[k + "x"] = 1.0
    return len(table)


def shrinks(x):
    table = {"a": x, "b": x}
    for k in table.keys():  # noqa: SIM118 (a view is tested)
        del table[k]
    return len(table)


def replaces(x):
    table = {"a": x, "b": x}
    for k, v in table.items():
        table[k] = v * 2.0
    for k in list(table):
        table[k + "2"] = table.pop(k)
    return table


def test_a_dict_that_changes_while_a_loop_runs_over_it():
    raises_alike(grows, 3.0)
    raises_alike(shrinks, 3.0)
    agrees(replaces, 3.0)


def grows_in_the_last_trip(x):
    values = [x, x]
    for k, v in enumerate(values):
        if k == 1:
            values.append(v)
        if k > 3:
            break
    return len(values)


def test_a_list_that_grows_in_the_last_trip_is_refused():
    with pytest.raises(flow.UnsupportedError, match="changes its length"):
        flow.compile(grows_in_the_last_trip, target="python")(1.0)


def multiplied(x, n):
    values = [x, 1.0]
    same = values
    values *= n
    values += (x, 2.0)
    nested = [[x]] * 3
    nested[0].append(2.0)
    return same, nested, sum(values) * x


@pytest.mark.parametrize("n", [0, 1, 3])
def test_lists_are_multiplied_in_place(n):
    agrees(multiplied, 2.0, n)
    slope_agrees(lambda x, n: multiplied(x, n)[2], 2.0, n)


def stored_in_a_tuple(x):
    pair = (x, 1.0)
    pair[0] = 2.0
    return pair[0]


def added_to_a_tuple(x):
    pair = ([x], 1.0)
    pair[0] += [2.0]
    return pair[0]


def test_tuples_and_texts_take_no_items():
    raises_alike(stored_in_a_tuple, 2.0)
    raises_alike(added_to_a_tuple, 2.0)


def first_of(x):
    found = next((v for v in x if v > 1.0), -1.0)
    return found * next(iter(x)) + next(iter([x[1], 2.0]))


@pytest.mark.parametrize("x", [np.array([0.5, 1.5, 2.5]), np.array([0.5, 0.25, 0.0])])
def test_the_first_item_of_an_iterator(x):
    agrees(first_of, x)


class Unhashable:
    def __eq__(self, other):
        return True


def test_an_instance_without_a_hash_is_no_key():
    with pytest.raises(TypeError):
        flow.compile(lambda x: {Unhashable(): x}, target="python")(1.0)


def sliced(x):
    a = [x, 1.0, 2.0, 3.0]
    same = a
    a[1:3] = [9.0]
    del a[0]
    a[:0] = (x, x)
    a[::2] = [v * 2.0 for v in (x, 3.0)]
    a[1:2] += [7.0]
    del a[-1:], a[::3]
    return same, a[::-1], sum(a) * x


def misfit(x):
    a = [x, 1.0, 2.0]
    a[::2] = [1.0]
    return a


def test_slices_of_lists_are_stored_and_deleted():
    agrees(sliced, 2.0)
    slope_agrees(lambda x: sliced(x)[2], 2.0)
    raises_alike(misfit, 2.0)


def compared_with_arrays(x):
    grown = []
    for v in x:
        grown.append(v * 1.0)
    return x == grown, grown != x, x == [1.0, 2.0], x == None, x != "a"  # noqa: E711 (== asks)


def test_arrays_are_compared_element_by_element():
    agrees(compared_with_arrays, np.array([1.0, 2.5]))
    with pytest.raises(flow.UnsupportedError, match="ambiguous"):
        flow.compile(lambda x: x if x == None else -x, target="python")(np.ones(2))  # noqa: E711 (== asks)
