"""Checks and failures: exits from the function, and the record of each.

A failure stores the number of its site and the operands there, as words, and returns 1. The
dtypes of the words of a site are stored with the text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from srcgrad.backends.cpu.emit.halves import widened
from srcgrad.backends.cpu.emit.owners import EXIT
from srcgrad.backends.cpu.emit.values import not_emitted, parts_of, texts
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.nodes import Def
from srcgrad.ir.types import Atom

RARELY = ", !prof !0"
# what the function returns, 0 if nothing failed
FAILED, RAISED, NO_MEMORY, OUTSIDE, INTERRUPTED = 1, 2, 3, 4, 5


def check(w: Writer, condition: str, s: Def, operands: Sequence[str]) -> None:
    """Leaves the function where the condition, a text, holds; the operands are i64."""
    guard(w, w.do(condition), lambda: fail_words(w, s, operands, ["i64"] * len(operands)))


def guard(w: Writer, condition: str, leaves: Callable[[], None]) -> None:
    bad, good = w.labels("bad", "good")
    w.put(f"br i1 {condition}, label %{bad}, label %{good}{RARELY}")
    w.start(bad)
    leaves()
    w.start(good)


def guard_settled(w: Writer, failed: str) -> None:
    """Leaves a function that owns if a call has failed, which has stored the code in `%code`."""
    (good,) = w.labels("good")
    w.put(f"br i1 {failed}, label %{EXIT}, label %{good}{RARELY}")
    w.start(good)


def fail_words(w: Writer, s: Def, words: Sequence[str], dtypes: Sequence[str]) -> None:
    if w.program.is_routine:  # nothing but memory can be missing there
        leave(w, NO_MEMORY)
        return
    site = w.program.site(s, tuple(dtypes), len(words))
    for k, word in enumerate((w.site_of(site), *words)):
        w.put(f"store i64 {word}, ptr {word_at(w, k)}, align 8")
    leave(w, FAILED)


def leave(w: Writer, code: int) -> None:
    """Leaves the function with this code; it releases the references it owns."""
    w.fails = True
    if w.owners is None:
        w.put(f"ret @RESULT {w.do(f'insertvalue @RESULT undef, i32 {code}, 0')}")
        return
    leave_again(w, str(code))


def leave_again(w: Writer, code: str) -> None:
    """Leave a function that owns, with the code that another one has left with."""
    w.put(f"store i32 {code}, ptr %code, align 8")
    w.put(f"br label %{EXIT}")


def word_at(w: Writer, k: int) -> str:
    return w.do(f"getelementptr inbounds i64, ptr %out, i64 {k}") if k else "%out"


def fail(w: Writer, s: Def) -> None:
    """The program's own failure, with values of any dtype."""
    words, dtypes = [], []
    for a in s.args:
        dtypes.append(a.type.dtype)
        words += words_of(w, a)
    fail_words(w, s, words, dtypes)
    w.start(w.labels("never")[0])


def words_of(w: Writer, a: Atom) -> list[str]:
    """A number as words of 64 bits."""
    dtype = a.type.dtype
    out = []
    for part, kind in zip(texts(w.value(a)), parts_of(dtype), strict=True):
        v = part
        if dtype == "f16":
            v, kind = widened(w, v), "float"
        if kind == "float":
            v, kind = w.do(f"fpext float {v} to double"), "double"
        if kind == "double":
            v = w.do(f"bitcast double {v} to i64")
        elif kind != "i64":
            v = w.do(f"{'sext' if dtype[0] == 'i' else 'zext'} {kind} {v} to i64")
        out.append(v)
    return out


# ---- checks of lengths and indices ----
def index(w: Writer, s: Def) -> str:
    i, n = map(w.whole, s.args)
    back = w.do(f"add i64 {i}, {n}")
    place = w.choose(w.do(f"icmp slt i64 {i}, 0"), back, i)
    check(w, f"icmp uge i64 {place}, {n}", s, (i, n))
    return place


def check_equal(w: Writer, s: Def) -> None:
    (a,), (b,) = (words_of(w, x) for x in s.args)
    if a != b:
        if any(x.type.dtype[0] not in "iub" for x in s.args):
            raise not_emitted("check_equal of floats")  # it compares lengths and counts
        check(w, f"icmp ne i64 {a}, {b}", s, (a, b))


def check_range(w: Writer, s: Def) -> None:
    first, last, n = map(w.whole, s.args)
    some = w.do(f"icmp sge i64 {w.do(f'sub i64 {last}, {first}')}, 0")
    beyond = w.do(f"icmp uge i64 {last}, {n}")
    if not first.isdigit():
        beyond = w.do(f"or i1 {beyond}, {w.do(f'icmp uge i64 {first}, {n}')}")
    check(w, f"and i1 {some}, {beyond}", s, (first, last, n))


def check_broadcast(w: Writer, s: Def) -> None:
    _check_dims(w, s, both=True)


def check_assign(w: Writer, s: Def) -> None:
    _check_dims(w, s, both=False)


def _check_dims(w: Writer, s: Def, both: bool) -> None:
    values = [w.whole(a) for a in s.args]
    a, b = values[: s.params["split"]], values[s.params["split"] :]
    for k in range(1, (min(len(a), len(b)) if both else len(b)) + 1):
        m, n = a[-k] if k <= len(a) else "1", b[-k]
        if m == n or n == "1" or (both and m == "1"):
            continue
        bad = w.do(f"icmp ne i64 {m}, {n}")
        bad = w.do(f"and i1 {bad}, {w.do(f'icmp ne i64 {n}, 1')}")
        other = w.do(f"icmp ne i64 {m}, 1") if both else "true"
        check(w, f"and i1 {bad}, {other}", s, values)


def trips(w: Writer, s: Def) -> str:
    """len(range(start, stop, step))"""
    start, stop, step = map(w.whole, s.args)
    if step[0] == "%":
        check(w, f"icmp eq i64 {step}, 0", s, (start, stop, step))
        up = _trips(w, start, stop, step)
        down = _trips(w, stop, start, w.do(f"sub i64 0, {step}"))
        return w.choose(w.do(f"icmp sgt i64 {step}, 0"), up, down)
    if step == "0":
        check(w, "icmp eq i64 0, 0", s, (start, stop, step))
        return "0"
    up = int(step) > 0
    return _trips(w, start, stop, step) if up else _trips(w, stop, start, step[1:])


def _trips(w: Writer, low: str, high: str, step: str) -> str:
    span = high if low == "0" else w.do(f"sub i64 {high}, {low}")
    if step == "1":
        return w.most(span, "0")
    # a sum with the step could wrap around, and so may the span, which is right without a sign
    more = w.do(f"udiv i64 {w.do(f'sub i64 {span}, 1')}, {step}")
    return w.choose(w.do(f"icmp sgt i64 {high}, {low}"), w.do(f"add i64 {more}, 1"), "0")
