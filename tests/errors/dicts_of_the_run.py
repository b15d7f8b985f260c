"""Dicts and sets whose keys the run decides, where they are refused, or raise."""

from collections import Counter, defaultdict

import numpy as np

from tests.cases.registry import vec
from tests.errors.programs import program

KEYS = np.array([0, 2, 1])
KNOWN = {1, 2}


def by_key(x):
    found = {}
    for i in range(3):
        found[int(KEYS[i])] = x[i]
    return found


@program(vec(3))
def dict_of_floats_returned(x):
    found = {v: k for k, v in enumerate(x)}
    return found  # error: ReturnTypeError: a dict, whose keys are floats ... list(d.items())


@program(vec(3))
def key_that_is_not_there(x):
    return by_key(x)[7]  # error: KeyError: 7


@program(vec(3))
def known_keys_without_it(x):
    table = {0: x[0], 1: x[1]}
    return table[int(KEYS[1])]  # error: KeyError: a key that is not in the dict


@program(vec(3))
def loop_that_changes_the_keys(x):
    found = by_key(x)
    for k in found:  # error: UnsupportedError: changes its length while a loop runs over it
        found[k + 10] = x[0]
    return sum(found.values())


@program(vec(3))
def loop_over_members(x):
    seen, total = set(), 0.0
    for k in KEYS:
        seen.add(int(k))
    for k in seen:  # error: UnsupportedError: the order of a set is not defined ... sorted
        total += x[k]
    return total


@program(vec(3))
def list_of_members(x):
    seen = set()
    for k in KEYS:
        seen.add(int(k))
    order = list(seen)  # error: UnsupportedError: the order of a set is not defined ... sorted
    return sum(x[order])


@program(vec(3))
def member_that_is_not_there(x):
    seen = set()
    for k in KEYS:
        seen.add(int(k))
    seen.remove(8)  # error: KeyError: 8
    return x[0]


@program(vec(3))
def any_member_taken(x):
    seen = {0, 2}
    return x[seen.pop()]  # error: UnsupportedError: pop() of a set of several items ... sorted


@program(vec(3))
def member_of_an_empty_set(x):
    seen = set()
    return x[seen.pop()]  # error: KeyError: pop from an empty set


@program(vec(3))
def union_with_a_list(x):
    seen = {int(x[0])}
    return len(seen | [1]) * x[0]  # error: TypeError: unsupported operand type(s) for |: 'set' and


@program(vec(3))
def list_removed_in_place(x):
    seen = {int(x[0])}
    seen -= [1]  # error: TypeError: unsupported operand type(s) for -: 'set' and 'list'
    return len(seen) * x[0]


@program(vec(3))
def set_compared_with_a_list(x):
    seen = {int(x[0])}
    return (seen <= [1]) * x[0]  # error: TypeError: '<=' not supported between instances of


@program(vec(3))
def frozen_set_changed(x):
    seen = frozenset([int(x[0])])
    seen.add(3)  # error: AttributeError: 'add'
    return len(seen) * x[0]


@program(vec(3), {1, 2})
def set_of_an_argument_changed_in_place(x, known):
    known |= {3}  # error: UnsupportedError: a set that is not made here is changed ... copy
    return x[1] * len(known)


@program(vec(3), {1, 2})
def set_of_an_argument_read_by_a_method(x, known):
    new = known.union({int(x[0])})  # error: UnsupportedError: read by a method ... copy
    return x[1] * len(new)


@program(vec(3), {1, 2})
def set_of_an_argument_changed(x, known):
    known.add(int(x[0]))  # error: UnsupportedError: a set that is not made here ... copy
    return x[1]


@program(vec(3), {0: 1.0, 1: 2.0})
def key_of_an_argument_added(x, table):
    table[int(KEYS[1])] = x[0]  # error: UnsupportedError: changes the keys of a dict ... copy
    return table[0]


@program(vec(3), {0: 1.0, 1: 2.0})
def key_of_an_argument_deleted(x, table):
    del table[int(KEYS[0])]  # error: UnsupportedError: changes the keys of a dict ... copy
    return table[1] * x[0]


@program(vec(3))
def list_changed_after_it_is_a_value(x):
    rows = {}
    for i in range(3):
        row = []
        rows[int(KEYS[i])] = row
        row.append(x[i])  # error: UnsupportedError: which of several containers this changes
    return sum(rows[0])


@program(vec(3))
def list_of_another_dict(x):
    rows, others = defaultdict(list), defaultdict(list)
    for i in range(3):
        rows[int(KEYS[i])].append(x[i])
        others[int(KEYS[i])] = rows[0]  # error: UnsupportedError: is put into another ... list(...)
    return sum(rows[0])


@program(vec(3))
def lists_of_one_key(x):
    rows = defaultdict(list)
    for i in range(3):
        rows[int(KEYS[i])].append(x[i])
    return x[0] if rows[0] is rows[1] else x[1]  # error: UnsupportedError: two objects are one


@program(vec(3))
def key_that_is_a_list(x):
    found = by_key(x)
    found[[1]] = x[0]  # error: TypeError: unhashable
    return found[0]


@program(vec(3))
def eighteen_functions_by_key(x):
    functions = {k: np.sin for k in range(18)}
    return functions[int(np.sum(x) > 5.0)](x[0])  # error: UnsupportedError: one of 18 values


@program(vec(3))
def number_in_a_text(x):
    return x[0] if x[1] in "abc" else x[2]  # error: TypeError: looked for in a string


class Point:
    pass


@program(vec(3))
def attributes_of_one_path(x):
    p = Point()
    if x[0] > 0.0:
        p.a = x[1]
    return vars(p)["a"]  # error: UnsupportedError: an instance that has some on one path only


@program(vec(3))
def attributes_of_an_array(x):
    return len(vars(x)) * x[0]  # error: TypeError: vars() of an array


@program(vec(3))
def text_of_two_kinds(x):
    return x[0] * len(f"{x if x[0] > 0.0 else 1.0}")  # error: UnsupportedError: one kind here


@program(vec(3))
def seventeen_functions(x):
    functions = [np.sin, np.cos] * 9
    return functions[int(np.sum(x) > 5.0)](x[0])  # error: UnsupportedError: must be known


@program(vec(3), [np.array([1.0, 2.0]), np.array([0.5, 1.0])])
def argument_sorted(x, rows):
    rows.sort(key=np.sum)  # error: UnsupportedError: the order of the run of a list ... sorted
    return x[0] * rows[0][0]


@program(vec(3))
def counters_added(x):
    return len(Counter("ab") + Counter("b")) * x[0]  # error: UnsupportedError: of Counters


@program(vec(3))
def counters_of_the_run_compared(x):
    one, other = Counter(), Counter()
    for k in KEYS:
        one[int(k)] += 1
        other[int(k) + 1] += 1
    return x[0] if one == other else x[1]  # error: UnsupportedError: an operator of Counters


@program(vec(3))
def copy_of_a_dict_of_lists(x):
    rows = defaultdict(list)
    for k in KEYS:
        rows[int(k)].append(x[k])
    copied = rows.copy()  # error: UnsupportedError: make one in a loop
    return len(copied) * x[0]


@program(vec(3))
def order_of_a_plain_dict(x):
    rows = by_key(x)
    rows.move_to_end(1)  # error: AttributeError: has no attribute 'move_to_end'
    return rows[0]


@program(vec(3))
def first_item_of_a_plain_dict(x):
    return by_key(x).popitem(last=False)[1]  # error: TypeError: dict.popitem() got an unexpected


@program(vec(3))
def first_item_of_known_keys(x):
    table = {0: x[0], 1: x[1]}
    return table.popitem(last=False)[1]  # error: TypeError: dict.popitem() takes no arguments


def one_or_two(x):
    d = {"a": x[0]}
    if x[1] > 0.0:
        d["b"] = x[1]
    return d


def total_of(**given):
    return sum(given.values())


@program(vec(3))
def key_that_this_path_does_not_set(x):
    d = one_or_two(-np.abs(x))
    return d["b"]  # error: KeyError: the dict has no key 'b'


@program(vec(3))
def keyword_arguments_of_some_paths(x):
    return total_of(**one_or_two(x))  # error: UnsupportedError: set on some paths ... by its keys


@program(vec(3))
def items_of_keys_of_some_paths(x):
    d = one_or_two(x)
    return sum([v * v for v in d.values()])  # error: UnsupportedError: set on some paths only


@program(vec(3))
def order_of_keys_by_the_path(x):
    d = one_or_two(x)
    d["c"] = x[2]
    d["b"] = d.get("b", 1.0)
    for v in d.values():  # error: UnsupportedError: the order of the keys of a dict depends
        return v
    return d["b"]


@program(vec(3))
def pattern_of_keys_of_some_paths(x):
    match one_or_two(x):
        case {"b": b}:  # error: UnsupportedError: set on some paths only
            return b
    return x[0]


RESULTS: dict = {0.5: 0.25}


@program(0.5)
def result_kept_by_a_float(x):
    if x not in RESULTS:
        RESULTS[x] = x * x  # error: UnsupportedError: a result is kept in a captured dict ... anew
    return RESULTS[x]


@program(vec(3))
def dict_of_lists_returned(x):
    found = {}
    for i in range(len(KEYS)):
        found.setdefault(int(KEYS[i]), []).append(x[i % 3])
    return found  # error: ReturnTypeError: whose values are lists that grow ... np.array(v)
