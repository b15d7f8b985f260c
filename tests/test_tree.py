"""Structures have one implementation, `srcgrad/tree`; what it says of each kind of structure."""

import ast
import collections
import dataclasses
from pathlib import Path

import numpy as np
import pytest

from srcgrad import tree
from srcgrad.frontend.values import Record, TrackedList

PACKAGE = Path(__file__).parents[1] / "srcgrad"

# Functions that walk tuples, lists or dicts for another purpose than that of a tree.
OTHERS = {
    "bridge/tensor_functions.py:_holds_value": "data of an array as nested sequences",
    "eager/data.py:_check_lengths": "data of an array as nested sequences",
    "eager/data.py:_plain": "data of an array as nested sequences",
    "eager/files.py:_taken_apart": "the format of a file",
    "frontend/conversion.py:_dims_of_numbers": "data of an array as nested sequences",
    "frontend/conversion.py:items_in_dtype": "data of an array as nested sequences",
    "frontend/handlers/insertions.py:_depth": "blocks of an array as nested lists",
    "frontend/handlers/insertions.py:placed": "blocks of an array as nested lists",
    "frontend/growing.py:append_grown": "the buffers of a list that grows by structures",
    "frontend/recursive/calls_apart.py:_most_in": "calls in the fields of syntax",
    "frontend/recursive/calls_apart.py:_renamed": "names in the fields of syntax",
    "frontend/specs.py:is_same": "what a branch joins, with the identity of containers",
    "frontend/instances_as_keys.py:_parts": "the key of a dict",
    "frontend/tracked_dicts.py:is_constant": "the key of a dict",
    "frontend/tracked_dicts.py:is_of_the_run": "the key of a dict",
    "interop/of_numba.py:_result": "types of Numba's for a structure of results",
    "utils/data/loaders.py:default_collate": "samples of a data set, as PyTorch stacks them",
    "frontend/captured_items.py:_constants": "captured lists, each of which is known by itself",
    "frontend/joins.py:spec_of": "what a branch joins, with the identity of containers",
    "frontend/handlers/copies.py:_copied": "containers that may hold themselves",
    "frontend/handlers/formula_helpers.py:known": "static sequences as tuples",
    "frontend/handlers/class_checks.py:_classes": "the classes that isinstance asks for",
    "frontend/handlers/shifts.py:roll": "one axis after another",
    "frontend/list_places.py:kind": "the kinds of items, of a list whatever its length",
    "frontend/lists.py:static_key": "the key of a dict",
    "frontend/rank_zero.py:count": "occurrences in containers that may hold themselves",
    "frontend/special_methods.py:displayed": "how containers are printed",
    "frontend/texts.py:shown": "how containers are printed",
    "ir/text.py:plain": "how attributes are printed",
    "mindspore/nn/training.py:_scaled": "a program that compiled code follows",
    "frontend/narrowing.py:_decided": "values of several kinds among the arguments of a call",
    "frontend/tables.py:part": "the buffers of a list that grows by structures",
    "frontend/unknown_functions.py:_static": "arguments that a library is called with as it is",
    "frontend/yields.py:_rewritten": "statements of a generator",
    "mindspore/ops/clipping.py:clip_by_value": "a program that compiled code follows",
    "transforms/batched.py:axes_of": "a prefix of another structure",
    "transforms/exported.py:_is_written": "attributes of operations",
    "transforms/mindspore.py:_pairs": "a search in gradients with ids",
    "scipy/unknowns.py:stacked": "data of an array as nested sequences",
    "tree/registered.py:static_key": "what a static part is looked up by",
    "transforms/reuse.py:_check_parameter": "static attributes of operations",
    "transforms/tangents.py:_check_structure": "what has more parts than another structure",
    "transforms/weighted.py:_dot": "a program of the user's, which compiled code follows",
}


def test_structures_are_taken_apart_in_one_place():
    found = {
        f"{path.relative_to(PACKAGE).as_posix()}:{f.name}"
        for path in PACKAGE.rglob("*.py")
        for f in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(f, ast.FunctionDef) and asks_for_containers(f) and calls_itself_on_parts(f)
    }
    assert found == set(OTHERS), "use srcgrad.tree; strike out what is no longer there"


def test_the_counter_counts():
    source = """
def walk(v):
    if isinstance(v, list | tuple):
        return [walk(p) for p in v]
    return v

def size(v):
    return sum(map(size, v)) if isinstance(v, (tuple, dict)) else 1

def once(v):
    return [once] if isinstance(v, list) else once(v)
"""
    functions = ast.parse(source).body
    counted = [f.name for f in functions if asks_for_containers(f) and calls_itself_on_parts(f)]
    assert counted == ["walk", "size"]


def asks_for_containers(function):
    """Whether a function asks if something is a tuple, a list or a dict."""
    asked = [n.args[1] for n in ast.walk(function) if is_call_of(n, "isinstance")]
    asked += [n.cls for n in ast.walk(function) if isinstance(n, ast.MatchClass)]
    names = {m.id for a in asked for m in ast.walk(a) if isinstance(m, ast.Name)}
    return bool(names & {"tuple", "list", "dict"})


def calls_itself_on_parts(function):
    """Whether a function is called for each part of something, inside of itself."""
    loops = (ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.SetComp, ast.For)
    inside = [m for n in ast.walk(function) if isinstance(n, loops) for m in ast.walk(n)]
    maps = [n for n in ast.walk(function) if is_call_of(n, "map")]
    named = [a for n in maps for a in n.args if isinstance(a, ast.Name)]
    return any(is_call_of(n, function.name) for n in inside) or any(
        a.id == function.name for a in named
    )


def is_call_of(node, name):
    return isinstance(node, ast.Call) and (
        (isinstance(node.func, ast.Name) and node.func.id == name)
        or (isinstance(node.func, ast.Attribute) and node.func.attr == name)
    )


Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass(frozen=True)
class Line:
    start: object
    end: object

    def __post_init__(self):
        raise AssertionError("structures are made without calling __init__")


def line(start, end):
    return tree.instance(Line, {"start": start, "end": end})


NESTED = [
    (1.0, [2, None], {"b": "text", "a": ()}),
    Point(1, [Point(2.0, 3)]),
    line((1, 2), {"k": line(3, 4)}),
    TrackedList([1, (2,)], key="place"),
    Record(Line, {"start": 1, "end": [2]}),
    np.zeros(3),
    5,
]


@pytest.mark.parametrize("value", NESTED, ids=lambda v: type(v).__name__)
def test_a_structure_is_that_of_its_leaves(value):
    again = tree.unflattened(value, tree.leaves(value))
    assert type(again) is type(value)
    assert tree.form_of(again) == tree.form_of(value)
    assert all(a is b for a, b in zip(tree.leaves(again), tree.leaves(value), strict=True))
    by_path = tree.mapped_by_path(value, ("v",), lambda path, leaf: path)
    assert tree.leaves(tree.mapped(value, lambda leaf: None)) == [None] * len(tree.leaves(value))
    numbers = iter(range(len(tree.leaves(value))))
    template = tree.mapped(value, lambda leaf: tree.Leaf(next(numbers)))
    assert tree.leaf_numbers(template) == list(range(len(tree.leaves(value))))
    assert by_path is not None


def test_paths_lead_to_leaves():
    value = {"p": Point(1, [line(2.0, "end")]), "q": (3,)}
    found = dict(tree.paths(value))
    assert list(found.values()) == tree.leaves(value) == [1, 2.0, "end", 3]
    assert all(tree.at_path(value, path) is leaf for path, leaf in found.items())
    assert [tree.spelled(("v", *path)) for path in found] == [
        "v.p[0]", "v.p[1][0].start", "v.p[1][0].end", "v.q[0]"
    ]  # fmt: skip


def test_what_the_compiler_has_becomes_the_callers():
    held = TrackedList([Record(Line, {"start": tree.Leaf(1), "end": tree.Leaf(0)})])
    made = tree.filled((held, tree.Leaf(0)), [5.0, 6.0])
    assert type(made[0]) is list and type(made[0][0]) is Line
    assert (made[0][0].start, made[0][0].end, made[1]) == (6.0, 5.0, 5.0)


def test_subclasses_of_containers_are_plain_ones_when_rebuilt():
    counted = collections.Counter(a=1)
    assert type(tree.copied(counted)) is dict
    assert tree.form_of(counted) != tree.form_of(dict(counted))


def refuse(path, given, like):
    raise ValueError(f"{path}: {given!r} for {like!r}")


def test_what_is_given_for_each_leaf():
    like = {"a": (1, 2), "b": line(3, [4])}
    given = {"b": line(30, None), "a": [10, 20]}
    assert [g for _, _, g in tree.matched(like, given, refuse)] == [10, 20, 30, None]
    assert [leaf for _, leaf, _ in tree.matched(like, None, refuse)] == [1, 2, 3, 4]


@pytest.mark.parametrize("given", [{"a": (1,)}, {"b": (1, 2)}, (1, 2), {"a": 5}, {"a": {0: 1}}])
def test_another_structure_is_refused(given):
    with pytest.raises(ValueError, match="for"):
        list(tree.matched({"a": (1, 2)}, given, refuse))
