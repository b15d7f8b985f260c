"""`annotate`: each line of the page is where it belongs, and the page needs nothing else."""

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import srcgrad as flow
from srcgrad import nn
from srcgrad.backends import marked
from srcgrad.ir.walk import walk
from srcgrad.transforms.annotated import times as times_module
from srcgrad.transforms.annotated.facts import facts
from srcgrad.transforms.annotated.panes import Places, line_costs, program_rows

VOID = {"meta", "br"}
RNG = np.random.default_rng(0)


def recurrence(x, w, steps):
    u = x.copy()
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            u[i] = u[i] + w * (u[i - 1] * u[i + 1])
    total = 0.0
    k = 0
    while k < len(u):
        if u[k] < 0.0:
            break
        total += np.sqrt(u[k] + 1.0)
        k += 1
    return total


def softmax(z):
    e = np.exp(z - np.max(z, axis=1)[:, None])
    return e / np.sum(e, axis=1)[:, None]


def loss(w, x, y):
    return -np.mean(np.sum(np.log(softmax(x @ w)) * y, axis=1)) + 0.01 * np.sum(w**2)


def paths(s, sigma, noise):
    total = 0.0
    for k in flow.prange(noise.shape[0]):
        v = s
        for t in range(noise.shape[1]):
            v = v * (1.0 + sigma * noise[k, t])
        total += max(v - 1.0, 0.0)
    return total


def pendulum(q, p, steps):
    for _ in flow.checkpointed(range(steps)):
        p = p - 0.01 * np.sin(q)
        q = q + 0.01 * p
    return np.sum(q * q)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 3)
        self.last = nn.Linear(3, 1)

    def forward(self, x):
        return self.last(flow.tanh(self.first(x)))


def of_net(target):
    net = Net()

    def objective(x, y):
        return flow.mean((net(x) - y) ** 2)

    made = flow.value_and_grad(objective, None, weights=list(net.parameters()), target=target)
    return made, (flow.ones(5, 4), flow.zeros(5, 1))


PROGRAMS = {
    "recurrence": lambda t: (
        flow.value_and_grad(recurrence, (0, 1), target=t),
        (np.ones(8), 0.01, 3),
    ),
    "arrays": lambda t: (
        flow.value_and_grad(loss, target=t),
        (RNG.normal(size=(4, 3)), RNG.normal(size=(6, 4)), np.eye(3)[[0, 1, 2, 0, 1, 2]]),
    ),
    "parallel": lambda t: (
        flow.value_and_grad(paths, (0, 1), target=t, parallel=True),
        (1.0, 0.1, RNG.normal(size=(7, 5))),
    ),
    "checkpoints": lambda t: (flow.value_and_grad(pendulum, (0, 1), target=t), (X, np.zeros(5), 9)),
    "net": of_net,
}
X = RNG.normal(size=5)


class Page(HTMLParser):
    """A page of which every element is closed, and its rows."""

    def __init__(self, text: str):
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.references: set[str] = set()
        self.rows: dict[str, dict] = {}
        self.buttons: list[str] = []
        self.tags: set[str] = set()
        self._row = ""
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.tags.add(tag)
        if "id" in values:
            self.ids.append(values["id"])
        self.references |= {values[k] for k in ("aria-labelledby", "for") if k in values}
        if values.get("class", "").split()[:1] == ["row"]:
            self._row = values["id"]
            self.rows[self._row] = {
                "at": values["data-at"].split(), "text": "", "titles": [],
                "parts": values.get("data-part", "").split(),
            }  # fmt: skip
        elif tag == "button" and "data-shows" in values:
            self.references.add(values["data-shows"])
        elif tag == "button":
            self.buttons += values["data-at"].split()
        if self._row and values.get("title"):
            self.rows[self._row]["titles"].append(values["title"])
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}> at {self.getpos()}"

    def handle_data(self, data):
        if self._row and self.open[-1:] and "code" in self.open:
            self.rows[self._row]["text"] += data

    def of(self, prefix: str) -> dict[str, dict]:
        return {k: r for k, r in self.rows.items() if re.fullmatch(prefix + r"\d[\d-]*", k)}


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


def test_times_of_lines_add_up():
    made = flow.grad(recurrence, (0, 1), target="python").annotate(np.ones(30), 0.01, 4)
    page = Page(made.html)
    inner = next(
        r for r in page.of("p").values() if r["text"].strip().startswith("for i in range(1,")
    )
    assert "112 trips" in inner["titles"][0] and "runs 4 times" in inner["titles"][0]
    f = made._facts
    places = Places(f.regions, f.places)
    costs = line_costs(f.times.program, f.kept, places).values()
    lines = sum(c.forward + c.reverse for c in costs)
    assert 0.9 * f.times.program.total < lines <= f.times.program.total * (1 + 1e-9)
    rows = sum(r.cost.seconds for r in program_rows(f.program, places, f.times.program) if r.cost)
    assert 0.9 * f.times.program.total < rows <= f.times.program.total * (1 + 1e-9)


@pytest.mark.parametrize("target", ["python", "loops", "cpu"])
def test_what_runs_has_times_of_its_own(target, monkeypatch):
    monkeypatch.setattr(marked, "TOO_MUCH", 100.0)  # on a machine that others use as well
    x = RNG.normal(size=(2000, 5))
    made = flow.grad(softmax_sum, target=target).annotate(x)
    f, rows = made._facts, Page(made.html).of("c")
    assert f.times.call > 0 and f.times.code is not None
    titles = [title for r in rows.values() for title in r["titles"]]
    assert len([t for t in titles if re.match(r"[\d.]+ (µs|ms)", t)]) >= (
        1 if target == "cpu" else 5
    )
    assert "machine code" in made.html if target == "cpu" else "the same way" in made.html


def test_bytes_are_those_that_explain_says():
    g = flow.grad(recurrence, (0, 1), target="python")
    args = (np.ones(30), 0.01, 4)
    tapes = [k for k in g.annotate(*args)._facts.kept if k.kind == "tape"]
    assert [k.bytes for k in tapes if "u[" in k.what] == [4 * 28 * 8]
    assert "896 B" in g.explain(*args)
    (grown,) = [k for k in tapes if k.size == "grows"]
    assert grown.bytes >= 30 * 8


def test_arrays_that_the_reverse_sweep_reads_are_kept():
    def f(x):
        e = np.exp(x)
        s = np.sum(e)
        return np.sum(np.sin(e / s))

    whole = flow.grad(f, target="python").annotate(np.ones(10))._facts.kept
    assert ("e", 80) in [(k.what, k.bytes) for k in whole]

    def fused(x):
        return np.sum(np.sin(x) * x)

    assert not flow.grad(fused, target="cpu").annotate(np.ones(10))._facts.kept


def test_loops_say_where_they_run_and_why():
    g = flow.value_and_grad(paths, (0, 1), target="loops", parallel=True)
    few = g.annotate(1.0, 0.1, RNG.normal(size=(7, 5)))._facts.loops
    assert few[0].runs == "one chunk" and "4,000,000" in few[0].reason
    chain = flow.grad(recurrence, target="loops").annotate(np.ones(8), 0.01, 2)._facts.loops
    inner = next(f for f in chain if f.depth == 1)
    assert inner.runs == "trip by trip" and "'u'" in inner.reason and inner.at is not None


def test_operations_that_share_no_loop_say_why():
    def f(x):
        s = np.sum(x * x)
        y = np.exp(x / s)
        return np.sum(y * y[::-1])

    made = flow.compile(f, target="loops").annotate(np.ones(5))
    line = f.__code__.co_firstlineno
    found = {(u.early.line - line, u.late.line - line): u.reason for u in made._facts.unfused}
    assert "only when the loop has ended" in found[1, 2]
    assert found[2, 3] == "'y' is read through a slice or a transpose, which needs all of it"
    assert "Operations on one array that share no loop" in made.html

    def fused(x):
        y = np.exp(x)
        return np.sum(np.sin(y) * x)

    assert not flow.grad(fused, target="loops").annotate(np.ones(5))._facts.unfused


def test_many_trips_run_in_chunks():
    x = np.ones(4_000_000)
    compiled = flow.compile(lambda x: np.sum(np.sin(x)), target="loops", parallel=True)
    known = compiled._bind((x,), {})
    entry, _ = compiled._entry_for(known, [(("x",), x)])
    from srcgrad.backends.loops import BACKEND
    from srcgrad.ir.nodes import Def
    from srcgrad.passes import run
    from srcgrad.transforms.annotated.loops import loop_facts
    from srcgrad.transforms.saved_tapes import Sizes

    lowered = run(entry.program.function, BACKEND.pipeline(compiled.options))
    defined = {s.var: s for s in walk(lowered.body) if isinstance(s, Def)}
    sizes = Sizes(defined, {lowered.params[0]: x})
    found = loop_facts(entry.program.function, lowered, {}, sizes, compiled.options)
    assert found[0].runs == "64 chunks on threads"


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


def test_a_run_that_takes_too_long_is_told(monkeypatch):
    monkeypatch.setattr(times_module, "MOST_SECONDS", 0.0)
    made = flow.grad(softmax_sum, target="python").annotate(np.ones((2, 2)))
    assert "takes more than 0 s" in made.html and 'class="time"' not in made.html
    assert made._facts.times.call > 0 and "a call, target python" in made.html
    compiled = flow.grad(softmax_sum, target="cpu").annotate(np.ones((2, 2)))
    assert "takes more than 0 s" in compiled.html and compiled._facts.times.call > 0
    for page in (made, compiled):
        Page(page.html)


def softmax_sum(z):
    return np.sum(softmax(z) ** 2)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_a_program_that_prints_runs_once(target, capsys):
    def f(x):
        print("seen")
        return np.sum(x * x)

    made = flow.grad(f, target=target).annotate(np.ones(3))
    assert capsys.readouterr().out.count("seen") == 1
    assert "run only once" in made.html and made._facts.times.program.total > 0


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


def test_facts_are_for_the_arguments_at_hand():
    g = flow.grad(recurrence, (0, 1), target="python")
    sizes = [
        max(k.bytes for k in facts(g, g._bind((np.ones(n), 0.01, 4), {})).kept) for n in (10, 50)
    ]
    assert sizes[0] < sizes[1]
