"""The graph of a tensor as a picture: leaves, operations, shapes, and what each node saves.

`graph` writes Graphviz's DOT language; Graphviz's program `dot` makes pictures of it.
Shapes are found by a backward pass of zeros. Never changes the graph.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from srcgrad.eager import Tensor, mode
from srcgrad.eager.graph import Leaf, Node, Output
from srcgrad.errors import ArgumentValueError, AutogradError, TensorTypeError, UnsupportedError
from srcgrad.printing.shown import Shown

TEXTS = (".dot", ".gv", ".txt", "")
PICTURES = (".svg", ".png", ".pdf", ".jpg")
STYLES = {
    "leaf": 'shape=box, style=filled, fillcolor="#cfe3f7"',
    "constant": 'shape=box, style=filled, fillcolor="#eeeeee"',
    "operation": "shape=ellipse",
    "root": 'shape=box, style=filled, fillcolor="#cdeccd"',
}


def graph(
    tensor: Tensor,
    file: str | PathLike[str] | None = None,
    *,
    names: Mapping[str, Any] | None = None,
) -> Graph:
    """The graph that computed a tensor in Graphviz's DOT language, also written to `file` if given.

    A file name that ends in `.svg`, `.png`, `.pdf` or `.jpg` gives a picture; `.dot`, `.gv`, `.txt`
    or no suffix the text. A notebook shows the picture if `dot` is installed. `names` (such as
    `locals()`) labels the tensors. Raises TypeError if `tensor` is not a Tensor, ValueError for
    another suffix, and UnsupportedError for a picture if Graphviz's program `dot` is not installed.

    >>> import srcgrad as flow
    >>> w = flow.ones(3, requires_grad=True)
    >>> print(flow.tools.graph(w.exp(), names={"w": w}))
    digraph {
        node [fontname="sans-serif", fontsize=11]
        n0 [label="result\\n(3,)", shape=box, style=filled, fillcolor="#cdeccd"]
        n1 [label="Exp\\n(3,)\\nkeeps its result", shape=ellipse]
        n2 [label="w\\n(3,)", shape=box, style=filled, fillcolor="#cfe3f7"]
        n1 -> n0
        n2 -> n1
    }
    """
    if not isinstance(tensor, Tensor):
        raise TensorTypeError(f"graph() takes a tensor, not {type(tensor).__name__}")
    text = Graph(_Drawing(tensor, names or {}).text())
    if file is not None:
        _write(text, Path(file))
    return text


def _write(text: str, file: Path) -> None:
    kind = file.suffix.lower()
    if kind in TEXTS:
        file.write_text(text, encoding="utf-8")
        return
    if kind not in PICTURES:
        raise ArgumentValueError(
            f"graph() writes {', '.join(filter(None, (*TEXTS, *PICTURES)))}, not {file.suffix!r}"
        )
    if shutil.which("dot") is None:
        raise UnsupportedError(
            "a picture needs Graphviz, whose program 'dot' is not installed",
            None,
            f"write the text: graph(l, {file.with_suffix('.dot').name!r})",
        )
    file.write_bytes(_drawn(text, kind[1:]))


def _drawn(text: str, kind: str) -> bytes:
    """The picture that Graphviz makes of a text."""
    done = subprocess.run(
        ["dot", f"-T{kind}"], input=text.encode(), capture_output=True, check=False
    )
    if done.returncode:
        raise ArgumentValueError(f"dot failed: {done.stderr.decode().strip()}")
    return done.stdout


class Graph(Shown):
    """A graph in the language DOT, which a notebook shows as a picture if it can be drawn."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        if shutil.which("dot") is None:
            return super()._repr_html_()
        picture = _drawn(str(self), "svg").decode()
        return picture[picture.index("<svg") :]


class _Drawing:
    """Boxes and edges, breadth first from the root."""

    def __init__(self, tensor: Tensor, names: Mapping[str, Any]):
        self.tensor = tensor
        self.names = {id(v): n for n, v in names.items() if isinstance(v, Tensor)}
        self.arrays = {id(v._a): n for n, v in names.items() if isinstance(v, Tensor)}
        self.boxes: list[str] = []
        self.edges: list[str] = []
        self.numbers: dict[int, int] = {}  # the box of a node or array, by its id
        self.held: list[Any] = []  # keeps the objects whose ids `numbers` has alive

    def text(self) -> str:
        root = self._box(self.names.get(id(self.tensor), "result"), self.tensor.shape, "root")
        node = self.tensor._node
        if node is not None and type(node) is not Leaf:
            self._walk(node, root)
        lines = ['node [fontname="sans-serif", fontsize=11]', *self.boxes, *self.edges]
        return "digraph {\n" + "".join(f"    {line}\n" for line in lines) + "}"

    def _walk(self, first: Node, root: int) -> None:
        shapes = _shapes(self.tensor)
        todo: list[tuple[Node, int]] = [(first, root)]
        while todo:
            node, above = todo.pop(0)
            if type(node) is Output:
                node = node.next
            known = id(node) in self.numbers
            if not known:
                self._add(node, shapes)
            self.edges.append(f"n{self.numbers[id(node)]} -> n{above}")
            if known or type(node) is Leaf:
                continue
            here = self.numbers[id(node)]
            heads = node.next if node.many else (node.next,)
            todo += [(h, here) for h in heads if h is not None]
            for a in _kept(node)[1]:
                self.edges.append(f"n{self._constant(a)} -> n{here}")

    def _add(self, node: Node, shapes: dict[Node, tuple]) -> None:
        self.held.append(node)
        if type(node) is Leaf:
            t = node.variable
            label = self.names.get(id(t), "leaf")
            shape = None if t is None else t.shape
            self.numbers[id(node)] = self._box(label, shape, "leaf")
            return
        kept = _kept(node)[0]
        label = node.name().removesuffix("0").removesuffix("Backward")
        more = f"\\nkeeps {kept}" if kept else ""
        self.numbers[id(node)] = self._box(label, shapes.get(node), "operation", more)

    def _constant(self, a: np.ndarray) -> int:
        """The number of the box of an operand that has no gradient."""
        if id(a) not in self.numbers:
            self.held.append(a)
            label = self.arrays.get(id(a), "constant")
            self.numbers[id(a)] = self._box(label, a.shape, "constant")
        return self.numbers[id(a)]

    def _box(self, label: str, shape: Any, style: str, more: str = "") -> int:
        k = len(self.boxes)
        size = "" if shape is None else f"\\n{tuple(shape)}"
        escaped = label.replace('"', '\\"')
        self.boxes.append(f'n{k} [label="{escaped}{size}{more}", {STYLES[style]}]')
        return k


def _kept(node: Any) -> tuple[str, list[np.ndarray]]:
    """A description of what a node saves; and the operands in it that have no gradient."""
    operands = [getattr(node, name, None) for name in ("x", "z")]
    args = getattr(node, "args", None)
    if isinstance(args, list):
        operands += args
    tensors = [t for t in operands if isinstance(t, Tensor)]
    words = [str(tuple(t.shape)) for t in tensors]
    if isinstance(getattr(node, "y", None), np.ndarray):
        words.append("its result")
    ctx = getattr(node, "ctx", None)
    pull = getattr(node, "pull", None)
    if ctx is not None and ctx._saved:
        words += [str(tuple(e[0].shape)) for e in ctx._saved if e is not None]
    if pull is not None:
        arrays = [k.array for k in pull.saved if isinstance(k.array, np.ndarray)]
        words += [str(a.shape) for a in arrays]
    return ", ".join(words), [t._a for t in tensors if t._node is None]


def _shapes(tensor: Tensor) -> dict[Node, tuple]:
    """The shape of each node's result, as far as a gradient of zeros reaches."""
    shapes: dict[Node, tuple] = {}
    root: Any = tensor._node
    pending: dict[Node, Any] = {root: np.zeros(tensor._a.shape, tensor._a.dtype)}
    with mode.no_grad(), np.errstate(all="ignore"):
        while pending:
            node = max(pending, key=lambda n: n.level)
            g = pending.pop(node)
            if not isinstance(g, dict):  # a dict: gradients of several results, by number
                shapes[node] = np.shape(g)
            if type(node) is Leaf or hasattr(node, "ctx"):  # a user's function is not run
                continue
            try:
                made = node.vjp(g, True)
            except AutogradError:  # the node is released: no shapes below it
                continue
            heads = node.next if node.many else (node.next,)
            for head, c in zip(heads, made if node.many else (made,), strict=True):
                if head is not None and c is not None:
                    pending.setdefault(head, c)
    return shapes


__all__ = ["graph"]
