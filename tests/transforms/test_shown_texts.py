"""Texts that show themselves are strings: a prompt shows their lines, a notebook their colours."""

import pickle
import shutil

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.printing.shown import Code, Shown, coloured
from srcgrad.tools import drawing


def f(x):
    return np.sum(np.where(x > 0, x, -x))


@pytest.fixture(scope="module")
def gradient():
    g = flow.value_and_grad(f, target="python")
    g(np.ones(3))
    return g


@pytest.mark.parametrize(
    "make",
    [lambda g: g.source("adjoint"), lambda g: g.ir("adjoint"), lambda g: g.explain()],
    ids=["source", "ir", "explain"],
)
def test_they_are_strings(gradient, make):
    text = make(gradient)
    assert isinstance(text, str) and repr(text) == str(text) == f"{text}" and "\n" in repr(text)
    assert text + "" == text and text.splitlines() and pickle.loads(pickle.dumps(text)) == text
    assert type(text.upper()) is str


def test_a_notebook_shows_code_with_colours(gradient):
    html = gradient.source("adjoint")._repr_html_()
    assert '<span class="sg-keyword">def</span> f_grad(x):' in html and "<pre" in html
    assert "&gt;" in html and "x > 0" not in html
    assert "&lt;b&gt;" in Shown("<b>")._repr_html_()
    assert gradient.source("numba").startswith('"""') and "<style>" in Code("x")._repr_html_()


def test_each_line_is_complete():
    lines = coloured('a = """one\n<two>"""  # three\nif b1 == 1.5e-3: return "x # y"')
    assert lines == [
        'a = <span class="sg-string">&quot;&quot;&quot;one</span>',
        '<span class="sg-string">&lt;two&gt;&quot;&quot;&quot;</span>  '
        '<span class="sg-comment"># three</span>',
        '<span class="sg-keyword">if</span> b1 == <span class="sg-number">1.5e-3</span>: '
        '<span class="sg-keyword">return</span> <span class="sg-string">&quot;x # y&quot;</span>',
    ]
    assert coloured("'open") == ["&#x27;open"], "a string without an end"


def test_a_graph_is_a_picture_where_it_can_be_drawn(monkeypatch):
    w = flow.ones(3, requires_grad=True)
    graph = flow.tools.graph(w.exp())
    assert isinstance(graph, str) and repr(graph).startswith("digraph {\n")
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert "digraph" in graph._repr_html_() and "<pre" in graph._repr_html_()
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}")
    drawn = b'<?xml version="1.0"?>\n<svg><text>Exp</text></svg>'
    monkeypatch.setattr(drawing, "_drawn", lambda text, kind: drawn)
    assert graph._repr_html_() == "<svg><text>Exp</text></svg>"
