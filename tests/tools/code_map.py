"""A map of the package: for each folder and file the first sentence of its docstring.

As a script, `python -m tests.tools.code_map [FOLDER]`, prints it.
"""

import ast
import re
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "srcgrad"


def code_map(under: str = "") -> str:
    """Returns the map of the package, or of its folder `under`.

    Raises FileNotFoundError if the package has no such folder.

    """
    top = PACKAGE / under
    if not top.is_dir():
        raise FileNotFoundError(f"srcgrad has no folder {under!r}")
    lines = []
    for folder in sorted({p.parent for p in top.rglob("*.py")}):
        files = sorted(p for p in folder.glob("*.py") if not p.stem.startswith("__"))
        width = max([len(p.name) for p in files], default=0)
        name = folder.relative_to(PACKAGE.parent).as_posix()
        lines.append(f"{name}/  {first_sentence(folder / '__init__.py')}")
        lines += [f"  {p.name:<{width}}  {first_sentence(p)}" for p in files]
    return "\n".join(lines)


def first_sentence(path: Path) -> str:
    """Returns the first sentence of a file's docstring."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    sentence = re.split(r"(?<=\.)\s|\n\n", text, maxsplit=1)[0]
    return " ".join(sentence.split())


if __name__ == "__main__":
    print(code_map(*sys.argv[1:2]))
