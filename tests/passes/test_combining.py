"""How a loop makes a carried value, where branches are nested in branches."""

import pytest

from srcgrad.ir.nodes import For
from srcgrad.passes import combining
from srcgrad.passes.combining import chain, reads_of_statements
from srcgrad.primitives import elementwise
from tests.passes.pass_programs import program


def nested(depth: int, last: str) -> str:
    """Branches in branches: each passes on a sum, after other values that it makes."""
    if not depth:
        return last
    inner = nested(depth - 1, last).replace("\n", "\n    ")
    return f"""
c{depth}: bool = lt(i, {depth})
a{depth}: f64
b{depth}: f64
s{depth}: f64
if c{depth}:{inner}
    a{depth}, b{depth}, s{depth} = f64({depth}.0), f64({depth + 1}.0), s{depth - 1}
else:
    t{depth}: f64 = add(p, f64(1.0))
    a{depth}, b{depth}, s{depth} = f64(0.0), f64(1.0), t{depth}"""


def loop_of(depth: int, last: str) -> For:
    body = nested(depth, last).replace("\n", "\n    ")
    text = f"p: f64 = f64(0.0)\nfor i in range(0, n):{body}\n    p = s{depth}"
    function = program("x: f64[n]", text, "p,")
    (loop,) = (s for s in function.body if isinstance(s, For))
    return loop


def ops_of(loop: For):
    return chain(loop.body, loop.params[0], loop.yields, loop.yields[0], reads_of_statements())


def test_a_sum_through_branches_is_recognized():
    assert ops_of(loop_of(3, "\ns0: f64 = add(p, f64(2.0))")) == {elementwise.add}


@pytest.mark.parametrize("last", ["exp(p)", "add(p, p)", "sub(f64(1.0), p)"])
def test_another_operation_deep_inside_is_none(last: str):
    assert ops_of(loop_of(3, f"\ns0: f64 = {last}")) is None


def test_each_block_is_followed_once(monkeypatch):
    followed = []
    path = combining._path

    def counting(*args):
        followed.append(args)
        return path(*args)

    monkeypatch.setattr(combining, "_path", counting)
    assert ops_of(loop_of(16, "\ns0: f64 = add(p, f64(2.0))")) == {elementwise.add}
    assert len(followed) == 2 * 16 + 1


def test_each_statement_is_read_once_for_all_carried_values(monkeypatch):
    read = []
    uses = combining.uses

    def counting(s):
        read.append(s)
        return uses(s)

    monkeypatch.setattr(combining, "uses", counting)
    names = range(20)
    start = "".join(f"p{k}: f64 = f64(0.0)\n" for k in names)
    sums = "".join(f"    t{k}: f64 = add(p{k}, f64(1.0))\n" for k in names)
    ends = [", ".join(f"{v}{k}" for k in names) for v in "pt"]
    body = f"{start}for i in range(0, n):\n{sums}    {' = '.join(ends)}"
    function = program("x: f64[n]", body, "p0,")
    (loop,) = (s for s in function.body if isinstance(s, For))
    reads = reads_of_statements()
    for p, y in zip(loop.params, loop.yields, strict=True):
        assert chain(loop.body, p, loop.yields, y, reads) == {elementwise.add}
    assert len(read) == len(loop.body)
