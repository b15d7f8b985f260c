"""The tables of the page: saved values, and how loops run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from srcgrad.backends.marked import NestTimes
from srcgrad.errors import Location
from srcgrad.ir.nodes import While
from srcgrad.transforms.annotated.apart import Unfused
from srcgrad.transforms.annotated.kept import Kept
from srcgrad.transforms.annotated.loops import LoopFacts
from srcgrad.transforms.annotated.panes import Places


def kept_table(kept: Sequence[Kept], places: Places) -> str:
    """A bar for each tape and array, with the lines that write and read it."""
    if not kept:
        return "<p>Nothing: the reverse sweep needs the arguments alone.</p>"
    most = max((k.bytes or 0 for k in kept), default=0) or 1
    out = [_head("what", "kind", "size", "bytes", "written", "read by the reverse of")]
    for k in kept:
        size = "known only at run time" if k.bytes is None else size_text(k.bytes)
        out.append(
            f'<tr><th scope="row"><code>{escape(k.what)}</code></th>'
            f"<td>{k.kind} of {escape(k.dtype)}</td><td>{escape(k.size)}</td>"
            f'<td><span class="bar" style="--v:{(k.bytes or 0) / most:.4f}"></span>{size}</td>'
            f"<td>{_links(k.written, places)}</td>"
            f"<td>{_links(k.read, places) or escape(k.reader)}</td></tr>"
        )
    return "\n".join([*out, "</tbody></table>"])


def loops_table(loops: Sequence[LoopFacts], places: Places, nests: NestTimes | None) -> str:
    """A row for each loop: its lines, its time if it has one, where its trips run and why."""
    if not loops:
        return "<p>No loop is left: every operation is a call on whole arrays.</p>"
    timed = ["time"] if nests is not None else []
    out = [_head("loop", "lines that share it", *timed, "runs", "because")]
    for f in loops:
        kind = "while" if isinstance(f.loop, While) else "for"
        whose = kind if f.own else f"arrays{f', {f.deep} deep' if f.deep > 1 else ''}"
        reason = escape(f.reason)
        if f.at is not None and f.reason:
            reason += f" ({_links((f.at,), places)})"
        cells = [_links(f.places, places), escape(f.runs), reason]
        if nests is not None:
            seconds = nests.seconds.get(f.loop)
            cells.insert(1, "" if not seconds else time_text(seconds))
        out.append(
            f'<tr><th scope="row" style="--d:{f.depth}">{whose}</th>'
            + "".join(f"<td>{cell}</td>" for cell in cells)
            + "</tr>"
        )
    return "\n".join([*out, "</tbody></table>"])


def unfused_table(found: Sequence[Unfused], places: Places) -> str:
    """A row for two lines that share no loop."""
    if not found:
        return ""
    out = [_head("line", "apart from line", "because")]
    for u in found:
        cells = [_links((u.late,), places), _links((u.early,), places), escape(u.reason)]
        out.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    title = "<h3>Operations on one array that share no loop</h3>"
    return "\n".join([title, *out, "</tbody></table>"])


def _head(*titles: str) -> str:
    cells = "".join(f'<th scope="col">{t}</th>' for t in titles)
    return f"<table><thead><tr>{cells}</tr></thead><tbody>"


def _links(found: Iterable[Location], places: Places) -> str:
    """Buttons that light up lines; those of the reverse sweep are marked."""
    out = []
    for p in sorted(places.of_all(found), key=lambda p: (p.sweep, p.file, p.line)):
        label = f"{p.line}" if p.sweep == "f" else f"{p.line}′"
        title = "forward" if p.sweep == "f" else "reverse"
        out.append(
            f'<button class="{p.sweep}" data-at="{p.key}" title="line {p.line}, {title} sweep">'
            f"{label}</button>"
        )
    return " ".join(dict.fromkeys(out))


def size_text(n: int) -> str:
    """Bytes in the largest unit of which there is one."""
    value = float(n)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def time_text(seconds: float) -> str:
    """A time with two or three digits."""
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"
