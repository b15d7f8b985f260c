"""`annotate`: each line of the page is where it belongs, and the page needs nothing else."""

import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.ir.walk import walk
from tests.transforms.annotated_pages import PROGRAMS, RNG, Page, recurrence, softmax, softmax_sum


@pytest.fixture(scope="module", params=[(n, t) for n in PROGRAMS for t in ("python", "cpu")],
                ids=lambda p: "-".join(p))  # fmt: skip
def made(request):
    name, target = request.param
    compiled, args = PROGRAMS[name](target)
    return compiled, args, compiled.annotate(*args)


def test_the_page_is_whole(made):
    page = Page(made[2].html)
    assert len(page.ids) == len(set(page.ids))
    assert page.references <= set(page.ids)
    lines = {f"{k[1:].replace('-', '.')}" for k in page.of("s")}
    linked = [key for k, r in page.rows.items() if k[0] in "pcl" for key in r["at"]]
    assert page.of("l") or made[0].options.target != "cpu"
    for key in (*linked, *page.buttons):
        assert key[-1] in "fr" and key[:-1] in lines
    for row in page.rows.values():
        for part in row["parts"]:
            line, start, end = re.fullmatch(r"(\d+\.\d+):(\d+)-(\d+)", part).groups()
            text = page.rows[f"s{line.replace('.', '-')}"]["text"]
            assert int(start) < int(end) and text[int(start) : int(end)].strip()


def test_tabs_show_what_the_compiler_reads_and_makes():
    compiled = flow.grad(softmax_sum, target="cpu")
    html = compiled.annotate(z := RNG.normal(size=(3, 2))).html
    assert re.findall(r'data-shows="t-(\w+)"', html) == ["code", "compiled", "assembly"]
    shown = re.search(r'id="t-assembly"[^>]*>(.*?)</pre>', html, re.DOTALL)
    assert shown and unescape(shown[1]) == compiled.source("asm", z)
    plain = flow.grad(softmax_sum, target="python").annotate(z).html
    assert "data-shows" not in plain.partition("<script>")[0]


def test_every_line_of_the_program_is_mapped(made):
    compiled, args, annotation = made
    page = Page(annotation.html)
    entry, _ = compiled._entry_for(*_given(compiled, args))
    files = list(dict.fromkeys(r.file for r in annotation._facts.regions))
    wanted = {
        f"{files.index(s.loc.file)}.{s.loc.line}{'r' if s.loc.role else 'f'}"
        for s in walk(entry.program.function.body)
        if s.loc is not None and not getattr(s, "op", None)
    }  # loops and branches: checks are not printed
    shown = {key for r in page.of("p").values() for key in r["at"]}
    assert wanted <= shown
    for key in shown:
        assert page.rows[f"s{key[:-1].replace('.', '-')}"]["text"].strip()


def _given(compiled, args):
    from srcgrad.tree import paths

    arguments = compiled._asked(args, {})
    return arguments, [pair for n, v in arguments.items() for pair in paths(v, (n,))]


def test_source_rows_are_the_lines_of_the_file(made):
    annotation = made[2]
    page = Page(annotation.html)
    for k, r in enumerate(annotation._facts.regions):
        lines = Path(r.file).read_text(encoding="utf-8").split("\n")
        for number in range(r.first, r.last + 1):
            found = [row["text"] for key, row in page.of("s").items() if key.endswith(f"-{number}")]
            assert lines[number - 1] in [t.rstrip() or "" for t in found], k


def test_the_page_needs_no_network(made):
    html = made[2].html
    assert not re.search(r"https?:|//[a-z]+\.|url\(|@import|\bsrc=|\bimport\(|fetch\(", html)
    assert not Page(html).tags & {"link", "img", "iframe", "object"}


def test_what_the_program_text_says_is_shown(made):
    compiled, args, annotation = made
    text = compiled.source("adjoint", *args)
    rows = [r["text"].strip() for r in Page(annotation.html).of("p").values()]
    returns = [row for row in rows if row.startswith("return ")]
    body = [row for row in rows if not row.startswith(("return ", "def "))]
    assert len(returns) == 1 and body and all(row in text for row in body)


def test_text_of_the_user_is_escaped():
    def f(x, label="<script>alert('&')</script>"):
        y = x if label != "</code><b>" else -x  # <!--explained--> & <i>
        return y * y

    html = flow.annotate(flow.grad(f, target="python"), 2.0).html
    assert "<script>alert" not in html and "<b>" not in html.replace("<b></b>", "").split("<dl>")[0]
    assert "&lt;!--explained--&gt; &amp; &lt;i&gt;" in html
    Page(html)


def test_arguments_stay_as_they_were():
    def f(x):
        x[0] = 2.0 * x[1]
        return np.sum(x * x)

    x = np.arange(3.0)
    flow.annotate(flow.grad(f, target="python"), x)
    assert np.array_equal(x, np.arange(3.0))


def test_errors_are_those_of_a_call():
    def f(x):
        return x[5] * 2.0

    g = flow.grad(f, target="python")
    with pytest.raises(IndexError, match="out of bounds"):
        g.annotate(np.ones(3))
    with pytest.raises(ValueError, match="call the function once first, or pass arguments"):
        flow.annotate(flow.grad(f, target="python"))
    with pytest.raises(TypeError, match="missing 2 required positional arguments"):
        flow.annotate(recurrence, np.ones(3))


def test_a_function_shows_its_gradient(tmp_path):
    made = flow.annotate(softmax_sum, np.ones((2, 2)), path=tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == made.html
    assert (
        repr(made)
        == '<annotation of value_and_grad of softmax_sum(z): save("page.html") writes it>'
    )
    compiled = flow.compile(softmax_sum, target="python")
    assert compiled.annotate(np.ones((2, 2)))._facts.transform == "value_and_grad"
    assert compiled.annotate.__doc__ and "softmax_sum_grad" in made.html


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_derivatives_that_may_be_undetermined(target):
    def f(a):
        return np.sum(np.linalg.svd(a, full_matrices=False)[0][:, 0])

    made = flow.grad(f, target=target).annotate(RNG.normal(size=(3, 2)))
    assert "svd" in made.html and made._facts.times.call > 0
    Page(made.html)


TWICE = lambda x: 2.0 * x
SQUARED = lambda x: TWICE(x) * x


def test_lines_outside_of_functions_are_shown_once():
    made = flow.grad(lambda x: SQUARED(x) + TWICE(x), target="python").annotate(3.0)
    page = Page(made.html)
    assert len(page.ids) == len(set(page.ids))
    texts = [r["text"] for r in page.of("s").values()]
    assert texts.count("TWICE = lambda x: 2.0 * x") == 1


def test_other_transforms_are_shown():
    for made in (flow.hessian(softmax_sum), flow.jacfwd(softmax)):
        html = made.annotate(np.ones((2, 2))).html
        Page(html)
        assert "sum" in html or "exp" in html


def test_a_notebook_shows_the_page_in_a_frame():
    made = flow.annotate(flow.grad(softmax_sum, target="python"), np.ones((2, 2)))
    frame = made._repr_html_()
    found = re.search(r'srcdoc="([^"]*)"', frame)
    assert found and frame.startswith("<iframe title=") and "&lt;!doctype html" in found.group(1)
