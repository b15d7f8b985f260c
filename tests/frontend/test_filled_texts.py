"""Texts that `%` and `format` fill in show what Python shows, with numbers of the run in them."""

# ruff: noqa: UP031, UP032, F504, F507 (the old forms are tested)

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import agrees


class Spoken:
    def __init__(self, v):
        self.v = v

    def __format__(self, spec):
        return "format"

    def __str__(self):
        return "str"

    def __repr__(self):
        return "repr"


class Odd(tuple):
    def __len__(self):
        return 9

    def __iter__(self):
        return iter([7.0])


class Twin(float):
    __format__ = Spoken.__format__
    __str__ = Spoken.__str__

    def __float__(self):
        return 42.0


class Whole(int):
    __format__ = Spoken.__format__

    def __float__(self):
        return 42.0

    def __int__(self):
        return 7


class Doubling(dict):
    def __getitem__(self, key):
        return super().__getitem__(key) * 2


class Missing(dict):
    def __missing__(self, key):
        return key + "?"


SPOKEN, TWIN, ODD = Spoken(1.0), Twin(0.25), Odd((0.5, 1.0))


def fields(x):
    n = int(x * 100.0)
    print("%s %c|%s %x|%#o %s" % (x, 65, x, 30, 5, x))
    print("%x %#o %i|%08.3f|%+.2e|% d|%-8.1f|" % (n, n, n, x, x, n, x))
    print("%5s|%-5s|%5.1s|%5s|%.3d|%a" % (True, None, "ab", "c", 7, "d"))
    print("%8s|%-8s|%%|%5.f" % (x, x, x))
    print("%d %i" % (3.7, 2.2), "%s" % [x], "%r" % (x,), "none" % {"a": x})


def mappings(x):
    print("%(a)s %(b)5.1f %(a)s" % {"a": x, "b": 2 * x, "c": None})
    print("%(a)s %(a).1f" % Doubling(a=x), "%(b)s" % Missing(a=x))
    print("{a:.2f} {b[k]}".format_map({"a": x, "b": {"k": x}}))
    print("{a}".format_map(Doubling(a=x)), "{b}".format_map(Missing(a=x)))


def objects(x):
    print("%s %r" % (Spoken(x), Spoken(x)), "%s" % SPOKEN, "%s" % [SPOKEN])
    print(f"{Spoken(x)} {SPOKEN!s} {SPOKEN!r}", "{} {!s}".format(SPOKEN, SPOKEN))


def derived(x):
    print("%s %s" % Odd((x, 1.0)), "%.1f %s %c" % Odd((x, x, 65)), "%s %.3f" % ODD)
    print("%s %.2f %e" % (Twin(x), Twin(x), TWIN), "%s %.1f" % (TWIN, TWIN))
    print("%d %x %.1f %05d" % (Whole(3), Whole(3), Whole(3), Whole(3)))
    print(f"{Twin(x)} {Twin(x):.2f} {Whole(3)}")


@pytest.mark.parametrize("f", [fields, mappings, objects, derived])
@pytest.mark.parametrize("x", [0.3, 0.9])
def test_texts(f, x):
    agrees(f, x)


def nested_fields(x):
    print("{:{w}.2f}|{:{}.{}f}".format(x, x, 8, 1, w=9))
    print("{0:{1}} {0:>{2}}".format(x, ".1f", 9))
    print("{0[1]:.2f} {a.real:.3f} {0[0]}".format([x, 2 * x], a=x))


def test_fields_in_fields():
    agrees(nested_fields, 0.3)


@pytest.mark.parametrize("text", ["%8s", "%d", "%5.1s", "%q"])
def test_what_is_not_followed_is_refused(text):
    """Of a number of the run; a boolean's width counts other letters."""

    def f(x):
        print(text % (x > 0.5,))
        return x

    with pytest.raises(flow.UnsupportedError, match="a field of this text is not followed"):
        flow.compile(f, target="python", cache=False)(np.float64(0.3))
