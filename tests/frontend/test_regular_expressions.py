"""Regular expressions over texts that are known: they are applied when compiling."""

import re

import pytest
from numpy.testing import assert_allclose

import srcgrad as flow
from srcgrad.errors import UnsupportedError

UNIT = re.compile(r"(?P<element>[A-Z][a-z]?)(?P<count>\d*)", re.ASCII | re.MULTILINE)
MASSES = {"H": 1.008, "C": 12.011, "O": 15.999, "Cl": 35.45}


def by_finding_all(x, formula):
    total = 0.0
    for part in re.findall("[A-Z][^A-Z]*", formula):
        name = re.split("[0-9]", part)[0]
        counts = re.findall("[0-9]+", part)
        total = total + x * MASSES[name] * (float(counts[0]) if counts else 1.0)
    return total


def by_iterating(x, formula):
    total = 0.0
    for m in UNIT.finditer(formula):
        total = total + x**2 * MASSES[m["element"]] * int(m[2] or 1) + m.start() * x
    return total


def by_groups(x, formula):
    m = UNIT.match(formula)
    if not m:
        return x * x
    element, count = m.groups()
    known = m.groupdict()
    return x * len(element) + float(count or 0.5) * x**2 + len(known["element"]) + m.end() * x


def by_replacing(x, formula):
    digits = re.sub(r"\D", "", formula)
    letters, n = re.subn(r"\d+", "_", formula)
    return x * float(digits or 1) + len(letters) * x**2 + n + len(re.escape("a.b")) * x


def by_iterator(x, formula):
    found = re.compile("[A-Z]").finditer(formula)
    first = next(found).group()
    rest = [m.group() for m in found]
    rest.append("tail")
    return x * MASSES[first] + len(rest) * x**2 + len(UNIT.pattern) * x


def by_search(x, formula):
    try:
        scale = float(re.search(r"\d+", formula).group())
    except AttributeError:
        scale = 3.0
    found = [re.match("[CH]", c) is not None for c in formula]
    return x**2 * scale + sum(found) * x + len(re.split(r"(\d)", formula, maxsplit=1)) * x


PROGRAMS = [by_finding_all, by_iterating, by_groups, by_replacing, by_iterator, by_search]


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", PROGRAMS)
def test_known_texts(f, target):
    g = flow.value_and_grad(flow.compile(f, target=target))
    for x, formula in ((0.7, "C6H12O6"), (1.3, "CCl4"), (0.7, "HCl"), (0.9, "C6H12O6")):
        value, slope = g(x, formula)
        assert_allclose(value, f(x, formula), rtol=1e-14)
        difference = f(x + 1e-6, formula) - f(x - 1e-6, formula)
        assert_allclose(slope, difference / 2e-6, rtol=1e-7)


def test_a_pattern_that_is_bound_anew():
    def first(x):
        return x * float(pattern.search("12 345").group())

    pattern = re.compile(r"\d+")
    f = flow.grad(flow.compile(first, target="python"))
    assert f(0.5) == 12.0
    pattern = re.compile(r"3\d")
    assert f(0.5) == 34.0


def test_counts_are_specialized_on():
    f = flow.grad(
        flow.compile(lambda x, n: x * len(re.split(",", "a,b,c,d", maxsplit=n)), target="python")
    )
    assert [f(2.0, n) for n in (1, 2, 0, 2)] == [2.0, 3.0, 4.0, 3.0]


def no_pattern(x):
    return x * len(re.match("(", "a"))


def no_group(x):
    return x * len(re.match("a", "a")[7])


def no_name(x):
    return x * len(UNIT.match("C").group("mass"))


def no_text(x):
    return x * len(re.findall("a", 5))


@pytest.mark.parametrize("f", [no_pattern, no_group, no_name, no_text])
def test_what_python_raises(f):
    with pytest.raises(Exception) as plain:
        f(2.0)
    with pytest.raises(type(plain.value), match=re.escape(str(plain.value))):
        flow.grad(flow.compile(f, target="python"))(2.0)


def test_a_caught_error():
    def guarded(x):
        try:
            return x * len(re.match("(", "a").group())
        except re.error:
            return 5.0 * x

    assert flow.grad(flow.compile(guarded, target="python"))(2.0) == 5.0


def test_texts_of_the_run_are_refused():
    def digits(x):
        return x * len(re.findall(r"\d", f"{x}"))

    refused = r"re\.findall\(\) takes texts that are known when compiling"
    with pytest.raises(UnsupportedError, match=refused):
        flow.grad(flow.compile(digits, target="python"))(1.5)
