"""Finds in the source where operations are named by strings: tables, comparisons, match statements.

What prints or reads programs, and what gives NumPy's and other libraries' names a meaning, has to
spell names; everything else can ask the operation itself, or know it as an object.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from srcgrad.primitives import REGISTRY

PACKAGE = Path(__file__).parents[2] / "srcgrad"
ROWS = PACKAGE / "primitives"
# programs as text, and names of libraries
SPELLING = ("printing", "ir/text.py", "ir/parse.py", "frontend/handlers", "api/spelling.py",
            "api/composed.py", "eager/functions", "nn", "testing")  # fmt: skip


def sources() -> Iterator[Path]:
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE).as_posix()
        if ROWS not in path.parents and not place.startswith(SPELLING):
            yield path


def tables() -> list[str]:
    """Module-level collections of which more than half are names of operations."""
    out = []
    for path in sources():
        for s in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(s, ast.Assign | ast.AnnAssign) and s.value is not None:
                names = _strings(s.value)
                if sum(n in REGISTRY for n in names) * 2 > len(names):
                    out.append(_place(path, s))
    return out


def comparisons() -> list[str]:
    """Places that compare an operation's name with strings, or match it."""
    out = []
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Compare(left=left, comparators=[right]):
                    if (_is_name(left) and _spells(right)) or (_is_name(right) and _spells(left)):
                        out.append(_place(path, node))
                case ast.Match(subject=subject):
                    parts = subject.elts if isinstance(subject, ast.Tuple) else [subject]
                    if any(map(_is_name, parts)):
                        out.append(_place(path, node))
    return out


def _strings(node: ast.expr) -> list[str]:
    """The keys of a collection that are strings, as far as they are written there."""
    match node:
        case ast.Dict():
            keys = [k for k in node.keys if k is not None]
        case ast.Set() | ast.Tuple() | ast.List():
            keys = node.elts
        case ast.BinOp():
            return _strings(node.left) + _strings(node.right)
        case ast.Call(args=[first, *_]):
            return _strings(first)
        case _:
            return []
    return [k.value for k in keys if isinstance(k, ast.Constant) and isinstance(k.value, str)]


def _is_name(node: ast.expr) -> bool:
    """`op.name`, however the operation is reached."""
    if not (isinstance(node, ast.Attribute) and node.attr == "name"):
        return False
    holder = node.value
    return getattr(holder, "attr", getattr(holder, "id", "")) in ("op", "row")


def _spells(node: ast.expr) -> bool:
    """Whether strings are written in an expression, or it is a table that may hold them."""
    parts = [node, *(node.elts if isinstance(node, ast.Tuple | ast.Set) else ())]
    texts = (p.value for p in parts if isinstance(p, ast.Constant))
    table = isinstance(node, ast.Name) and node.id.isupper()
    return table or any(isinstance(t, str) for t in texts)


def _place(path: Path, node: ast.stmt | ast.expr) -> str:
    text = ast.unparse(node).partition("\n")[0]
    return f"{path.relative_to(PACKAGE).as_posix()}:{node.lineno}: {text[:70]}"
