"""What type checkers see of the package."""

import ast
from pathlib import Path

import srcgrad


def test_names_that_are_loaded_late_are_none_that_a_checker_misses():
    """A checker takes a module's `__getattr__` for one if it is a plain function, undecorated."""
    tree = ast.parse(Path(srcgrad.__file__).read_text(encoding="utf-8"))
    made = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "__getattr__"]
    assert len(made) == 1 and not made[0].decorator_list
    assert [a.arg for a in made[0].args.args] == ["name"]
    again = [
        n for n in tree.body
        if isinstance(n, ast.Assign) and any(ast.unparse(t) == "__getattr__" for t in n.targets)
    ]  # fmt: skip
    assert not again  # only where TYPE_CHECKING is False
