"""The rows as methods of a builder, and the stub that the type checker reads."""

import ast
import copy

import pytest

from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Const, Var
from srcgrad.ir.types import Scalar
from srcgrad.primitives import REGISTRY
from tests.tools import rows

F64 = Scalar("f64")


def test_the_stub_is_that_of_the_table():
    found = ast.parse(rows.FILE.read_text(encoding="utf-8"))
    assert ast.unparse(found) == ast.unparse(ast.parse(rows.text())), "python -m tests.tools.rows"


def test_each_row_is_in_the_stub():
    (found,) = (n for n in ast.parse(rows.text()).body if getattr(n, "name", "") == "Rows")
    names = {n.target.id if isinstance(n, ast.AnnAssign) else n.name for n in found.body}
    assert names == {*REGISTRY} - {"cast", "dim"}
    assert not {*dir(Builder)} & names


def test_a_method_emits_its_row():
    b, x = Builder(REGISTRY), Var("x", F64)
    y = b.mul(x, b.sin(x), name="y")
    assert [s.op.name for s in b.out] == ["sin", "mul"] and y.name == "y"
    assert b.add(Const(1.0, F64), Const(2.0, F64)) == Const(3.0, F64)


def test_a_misspelt_row():
    with pytest.raises(AttributeError, match="'mull'"):
        Builder(REGISTRY).mull(1.0, 2.0)
    with pytest.raises(AttributeError):
        object.__new__(Builder).mul(1.0, 2.0)
    assert copy.copy(Builder({})).table == {}
