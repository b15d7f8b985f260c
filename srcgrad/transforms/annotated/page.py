"""The page: one file of HTML with its style and its script, without a network."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from html import escape
from importlib.resources import files
from pathlib import Path

from srcgrad.printing.shown import coloured
from srcgrad.transforms.annotated.facts import Facts
from srcgrad.transforms.annotated.panes import (
    LineCost,
    Place,
    Places,
    Row,
    code_rows,
    compiled_rows,
    line_costs,
    program_rows,
)
from srcgrad.transforms.annotated.tables import (
    kept_table,
    loops_table,
    size_text,
    time_text,
    unfused_table,
)

TABS = {"code": "loops", "compiled": "LLVM IR", "assembly": "assembly"}  # by part of the page


class Annotation:
    """The page about a gradient: `html` is its text; a notebook shows it."""

    def __init__(self, facts: Facts):
        self._facts = facts

    def __repr__(self) -> str:
        f = self._facts
        return f'<annotation of {f.transform} of {f.title}: save("page.html") writes it>'

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file."""
        Path(path).write_text(self.html, encoding="utf-8")

    @cached_property
    def html(self) -> str:
        """The page as a text."""
        return page(self._facts)

    def _repr_html_(self) -> str:
        """The page in a frame of its own, where its style and script meet no others."""
        return (
            f'<iframe title="{escape(repr(self))}" srcdoc="{escape(self.html)}" '
            'style="width:100%;height:42em;border:1px solid #8884"></iframe>'
        )


def page(facts: Facts) -> str:
    """The page that shows the facts."""
    places = Places(facts.regions, facts.places)
    costs = line_costs(facts.times.program, facts.kept, places)
    total = 0.0 if facts.times.program is None else facts.times.program.total
    shared = 0.0 if facts.times.code is None else sum(facts.times.code.seconds.values())
    whole = max(facts.times.call or 0.0, shared) if shared else 0.0
    program = program_rows(facts.program, places, facts.times.program)
    code = code_rows(facts.code, places, facts.times.code)
    compiled = compiled_rows(facts.compiled, places)
    parts = {
        "style": _file("page.css"),
        "script": _file("page.js"),
        "title": escape(f"{facts.transform} of {facts.title}"),
        "settings": _settings(facts),
        "summary": _summary(facts, total),
        "source": _source(facts, costs, total),
        "program": _pane("p", coloured, program, total),
        "code_title": "What runs" if facts.target == "python" else "Lowered",
        "target": escape(facts.target),
        "code": _pane("c", coloured, code, whole),
        "compiled": _pane("l", _plain, compiled, 0.0),
        "assembly": escape(facts.assembly),
        "measured": _measured(facts),
        "kept": kept_table(facts.kept, places),
        "loops": loops_table(facts.loops, places, facts.times.code),
        "unfused": unfused_table(facts.unfused, places),
        "explained": escape(facts.explained),
    }
    parts["tabs"] = _tabs([name for name in TABS if parts[name]])
    text = _file("page.html")
    for name, part in parts.items():
        text = text.replace(f"<!--{name}-->", part)
    return text


def _tabs(names: list[str]) -> str:
    """The buttons that show a text of the last pane, of which the first is shown."""
    if len(names) < 2:
        return ""
    buttons = [
        f'<button type="button" aria-pressed="{"true" if name == names[0] else "false"}" '
        f'data-shows="t-{name}">{TABS[name]}</button>'
        for name in names
    ]
    return f'<span class="tabs">{" ".join(buttons)}</span>'


def _file(name: str) -> str:
    return files("srcgrad.transforms.annotated").joinpath(name).read_text(encoding="utf-8")


def _settings(facts: Facts) -> str:
    shown = {"target": facts.target, **facts.settings}
    return escape(", ".join(f"{name} {text}" for name, text in shown.items()))


def _summary(facts: Facts, total: float) -> str:
    known = sum(k.bytes or 0 for k in facts.kept)
    more = any(k.bytes is None for k in facts.kept)
    kept = size_text(known) + (" and more" if more else "")
    cells = [
        ("kept for the reverse sweep", kept if facts.kept else "nothing"),
        ("loops and nests", str(len(facts.loops))),
    ]
    if facts.times.program is not None:
        cells.insert(0, ("in Python, an operation at a time", time_text(total)))
    if facts.times.call is not None:
        cells.insert(0, (f"a call, target {facts.target}", time_text(facts.times.call)))
    return "".join(f"<div><dt>{a}</dt><dd>{escape(b)}</dd></div>" for a, b in cells)


def _measured(facts: Facts) -> str:
    if facts.times.program is None:
        reason = escape(facts.times.reason)
        return f"The source and the program in the middle have no times: {reason}. " + _of_code(
            facts
        )
    return (
        "Times of the source and of the program in the middle are those of the reference backend, "
        "run on copies of these arguments with a clock between its statements: NumPy and the "
        "interpreter, an operation at a time, the shortest of up to five runs. Compiled code "
        "differs: what shares a loop shares the way to memory, and loops over numbers run far "
        "faster. How often a line runs is exact. " + _of_code(facts)
    )


def _of_code(facts: Facts) -> str:
    if facts.target == "cpu" and facts.times.code is not None:
        return (
            "Times of the lowered program are those of its machine code, which calls a clock "
            "before each nest of loops and each call on arrays: a nest has the time of all its "
            "lines, in percent of a whole call."
        )
    if facts.times.code is not None:
        return "Those of the text on the right are measured in the same way."
    why = facts.times.reason_of_code
    reason = f": {escape(why)}" if why else ""
    return f"The text on the right has no times{reason}."


# ---- rows ----
def _source(facts: Facts, costs: dict[tuple[int, int], LineCost], total: float) -> str:
    files: dict[str, int] = {}
    for r in facts.regions:
        files.setdefault(r.file, len(files))
    most = max((c.bytes for c in costs.values()), default=0)
    out = []
    for r in facts.regions:
        name = Path(r.file).name
        out.append(f'<h3 title="{escape(r.file)}">{escape(name)}</h3>')
        k = files[r.file]
        for number, line in enumerate(coloured("\n".join(r.lines)), r.first):
            cost = costs.get((k, number), LineCost())
            cells = _sweeps(cost, total) + _bytes(cost, most)
            out.append(_row(f"s{k}-{number}", [f"{k}.{number}"], number, cells, line))
    return "\n".join(out)


def _sweeps(cost: LineCost, total: float) -> str:
    if not total:
        return ""
    each = (("f", "forward", cost.forward), ("r", "reverse", cost.reverse))
    title = "; ".join(f"{name} {time_text(t)}" for _, name, t in each if t)
    if cost.runs and title:
        title += f"; runs {cost.runs} times" if cost.runs > 1 else ""
    bars = "".join(f'<i class="{c}" style="--v:{t / total:.4f}"></i>' for c, _, t in each if t)
    text = _percent((cost.forward + cost.reverse) / total)
    return f'<span class="time" title="{title}"><b>{text}</b>{bars}</span>'


def _bytes(cost: LineCost, most: int) -> str:
    text = ("?" if not cost.bytes else "") if cost.unknown else ""
    if cost.bytes:
        text = size_text(cost.bytes)
    share = cost.bytes / most if most else 0
    title = f"keeps {text} for the reverse sweep" if text else ""
    return f'<span class="kept" title="{title}" style="--v:{share:.4f}">{text}</span>'


def _plain(text: str) -> list[str]:
    return escape(text).split("\n")


def _pane(
    prefix: str, colouring: Callable[[str], list[str]], rows: Sequence[Row], total: float
) -> str:
    if not rows:
        return ""
    lines = colouring("\n".join(row.text for row in rows))
    out = []
    for number, (row, line) in enumerate(zip(rows, lines, strict=True), 1):
        out.append(
            _row(f"{prefix}{number}", [p.key for p in row.places], number, _heat(row, total), line,
                 row.places)
        )  # fmt: skip
    return "\n".join(out)


def _heat(row: Row, total: float) -> str:
    if not total:
        return ""
    if row.cost is None:
        return '<span class="time"></span>'
    c = row.cost
    title = f"{time_text(c.seconds)}, runs {c.runs} times" if c.runs != 1 else time_text(c.seconds)
    title += f", {c.trips} trips" if c.trips else ""
    sweep = "r" if any(p.sweep == "r" for p in row.places) else "f"
    bar = f'<i class="{sweep}" style="--v:{c.seconds / total:.4f}"></i>'
    return f'<span class="time" title="{title}"><b>{_percent(c.seconds / total)}</b>{bar}</span>'


def _row(
    id: str, keys: Iterable[str], number: int, cells: str, line: str, places: Sequence[Place] = ()
) -> str:
    spans = " ".join(f"{p.file}.{p.line}:{p.column}-{p.end}" for p in places if p.end > p.column)
    parts = f' data-part="{spans}"' if spans else ""
    return (
        f'<div class="row" role="option" id="{id}" data-at="{" ".join(keys)}"{parts} tabindex="-1">'
        f'<span class="side"><span class="n">{number}</span>{cells}</span>'
        f"<code>{line or ' '}</code></div>"
    )


def _percent(share: float) -> str:
    return "" if share < 0.005 else f"{100 * share:.0f}%"
