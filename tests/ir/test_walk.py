"""Uses, substitution and alias classes on hand-built functions."""

from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.check import check
from srcgrad.ir.nodes import Const, Def, For, If, While
from srcgrad.ir.parse import parse
from srcgrad.ir.text import to_text
from srcgrad.ir.types import INT
from srcgrad.ir.walk import defined, free_variables, rename, results, walk
from srcgrad.primitives import REGISTRY
from tests.ir import ir_programs as programs


def named(f):
    """Every variable by its printed name (of names that joins share, the last)."""
    f = parse(to_text(f, notes=False), REGISTRY)
    found = {p.name: p for p in f.params}
    for s in walk(f.body):
        found.update({v.name: v for v in results(s)})
    return f, found


def test_walk_visits_outer_before_inner():
    kinds = [type(s) for s in walk(programs.halvings().body)]
    assert kinds == [While, Def, Def, Def, If, Def, Def, Def]


def test_free_variables():
    f = programs.power()
    loop = next(s for s in f.body if isinstance(s, For))
    tape, (x, n) = f.body[0].var, f.params
    assert free_variables((loop,)) == [n, tape, x]
    assert loop.results[0] in defined((loop,)) and x not in defined((loop,))


def test_dims_are_uses():
    f, v = named(programs.choice())
    assert v["n1"] in free_variables(f.body[-2].body)


def test_rename_reaches_dims_of_everything():
    f, v = named(programs.shapes())
    renamed = rename(f, {v["n2"]: Const(3, INT), v["n3"]: v["n1"]})
    gone = (v["n2"], v["n3"])
    body = tuple(s for s in renamed.body if s.var is None or s.var not in gone)
    text = to_text(renamed.with_body(body), notes=False)
    assert "v: f32[3], s: f32.strided[n1]" in text and "check_broadcast(n, n1, 3, split=2)" in text
    check(parse(text.replace("check_broadcast(n, n1, 3, split=2)", "pass"), REGISTRY))


def test_alias_classes():
    f, v = named(programs.choice())
    classes = AliasClasses(f)
    assert classes.of(v["x"]) is classes.of(v["part"]) is classes.of(v["y1"])
    assert not classes.is_pure(v["x"]) and classes.is_pure(v["t"])


def test_references_in_a_tape_alias_what_is_got_back():
    f, v = named(programs.shapes())
    classes = AliasClasses(f)
    assert classes.of(v["same"]) is classes.of(v["y"])
    assert classes.is_pure(v["a"]) and not classes.is_pure(v["cell"])
