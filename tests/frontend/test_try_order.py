"""`try`: what Python has done when a step raises, and which handler runs."""

import textwrap

import pytest

from tests.frontend.try_bodies import CHANGED, TEXT, body, check


# ---- how far Python comes ----
@pytest.mark.parametrize(
    "text",
    [
        "s = any(1.0 / (w - k * 0.5) > 1 for k in range(n + 1)) * w",
        "s = all(1.0 / (w - k * 0.5) < 1 for k in range(n + 1)) * w",
        "s = any(x[k] > 0.0 for k in range(n + 2)) * w",
        "s = any(map(math.sqrt, [w + 0.5, w])) * w",
    ],
)
def test_items_that_are_nobody_needs(text):
    body(text)


@pytest.mark.parametrize("line", ["s, x[n] = w, w", "s = x[n] = w", "(s, t), x[n] = (w, w), w"])
def test_a_name_that_is_bound_before_another_target(line):
    text = TEXT.replace("BODY", line).replace("s = s - 7.0", "pass")
    check(text, "'s' cannot be read here: the statement that raised may have bound it")


ENDLESS = """\
def g(x, k):
    try:
        return x[k] + g(x, k + 1)
    except IndexError:
        return 0.0


def f(x, w, n):
    return g(x, 0) * w
"""


def test_a_recursion_that_only_a_handler_ends():
    check(ENDLESS, "a 'try' inside of 3 others of a recursion")


# ---- what is raised for certain, past the handlers of a `try` ----
LEAVING = [
    """\
def f(x, w, n):
    s = w
    if w >= 0:
        try:
            raise ValueError("a")
        except KeyError:
            s = 2.0
    return s * x[0]
""",
    """\
def f(x, w, n):
    try:
        if w >= 0:
            try:
                raise ValueError("a")
            except KeyError:
                pass
    except ValueError:
        return 5.0 * w
    return w * x[0]
""",
    """\
def f(x, w, n):
    s = w
    if w > 0:
        try:
            raise KeyError("a")
        finally:
            s = 3.0
    return s * x[0]
""",
    """\
def f(x, w, n):
    for k in range(n):
        try:
            raise IndexError
        except ValueError:
            w = 3.0
    return w * 2.0
""",
    """\
def f(x, w, n):
    try:
        try:
            s = x[n]
        except IndexError:
            try:
                raise ValueError
            except KeyError:
                pass
    except ValueError:
        return w
    return s
""",
    """\
def f(x, w, n):
    try:
        try:
            s = x[n]
        except IndexError:
            s = 1.0 / w
            raise
        else:
            raise ValueError
    except ValueError:
        return w
    except IndexError:
        return w * 3.0
    except ZeroDivisionError:
        return 7.0
    return s
""",
    """\
def f(x, w, n):
    t = 0.3
    try:
        t = math.sqrt(w)
        try:
            s = dict(u=w)["v"]
        except ArithmeticError:
            pass
    except Exception:
        pass
    return t
""",
]


@pytest.mark.parametrize("text", LEAVING)
def test_what_no_handler_catches_goes_on(text):
    check(text)


SHOWN = "a 'finally' that changes something beside names"


@pytest.mark.parametrize("last", ["x[0] = 5.0", "print(n)"])
def test_finally_after_what_is_raised_for_certain(last):
    body(f"try:\n    raise ValueError\nfinally:\n    {last}", SHOWN)


def test_a_refusal_is_not_caught():
    text = "left = iter(x)\ns = s * next(left)\ns = s * next(left)"
    body(text, "an iterator that is run over elsewhere")
    check(
        "def g(x):\n    y = np.histogramdd(x)\n    raise ValueError\n\n\n"
        + TEXT.replace("BODY", "s = g(x)"),
        "numpy.histogramdd is not supported",
    )


GROWN = """\
def f(x, w, n):
    kept = [1.0]
    try:
        LINE
    except IndexError:
        kept.append(50.0)
    return sum(kept) * w
"""


@pytest.mark.parametrize(
    "line, refused",
    [
        ("kept.extend(x[k] for k in range(n + 1))", CHANGED),
        ("kept += (x[k] for k in range(n + 1))", CHANGED),
        ("kept.extend(map(lambda k: x[k], range(n + 1)))", CHANGED),
        ("kept.extend([x[k] for k in range(n + 1)])", ""),
        ("kept += [x[0], x[n]]", ""),
    ],
)
def test_items_before_one_that_raises_are_in_the_list(line, refused):
    check(GROWN.replace("LINE", line), refused)


def test_pairs_before_one_that_raises_are_in_the_dict():
    text = "d = dict(a=w)\ntry:\n    d.update((k, x[n]) for k in ('a', 'b'))\n"
    text += "except IndexError:\n    d['a'] = 9.0\ns = d['a'] + len(d)"
    check("def f(x, w, n):\n" + textwrap.indent(text + "\nreturn s * w\n", "    "), CHANGED)


HANDLED = """\
def g(w, kept):
    try:
        if w < 0.0:
            raise ValueError("negative")
        r = w * w
    except ValueError:
        CHANGE
        r = 3.0 * w
    return r


def f(x, w, n):
    kept = np.zeros(2)
    try:
        s = g(w, kept)
    except Exception:
        s = 7.0
    return s + kept[0] + x[0]
"""
BRANCHED = """\
def f(x, w, n):
    kept = np.zeros(2)
    try:
        if w >= 0.0:
            s = x[n]
        else:
            CHANGE
            s = w
    except Exception:
        s = 7.0
    return s + kept[0] + x[0]
"""


@pytest.mark.parametrize("text", [HANDLED, BRANCHED])
@pytest.mark.parametrize(
    "change", ["kept[0] += w", "print('small')", "x[0] += w", "if n:\n            kept[:] += 1.0"]
)
def test_what_the_other_path_changes_is_changed_once(text, change):
    change = textwrap.indent(change, "    ") if text is BRANCHED else change
    check(text.replace("CHANGE", change.strip()))


NESTED = "".join(
    f"def g{k}(x, n):\n    try:\n        v = x[n + {k}] * g{k + 1}(x, n)\n"
    f"    except IndexError:\n        v = {k}.0 + x[0]\n    return v\n\n\n"
    for k in range(5)
)


def test_bodies_inside_of_others():
    check(f"def g5(x, n):\n    return x[n]\n\n\n{NESTED}def f(x, w, n):\n    return w * g0(x, n)\n")


def test_more_bodies_inside_of_others():
    inner, outer = "s = x[n]", "def f(x, w, n):\n    s = w\nBODY\n    return s\n"
    for _ in range(8):
        inner = f"try:\n{textwrap.indent(inner, '    ')}\nexcept IndexError:\n    s = -s"
    refused = "a 'try' inside of 7 others, in functions that are called there as well"
    check(outer.replace("BODY", textwrap.indent(inner, "    ")), refused)
