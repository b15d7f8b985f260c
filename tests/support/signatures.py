"""Sample calls with every argument that the library's signature has, each by name.

`variants(sample)`: all arguments by name; each parameter with the values of `choices.py`, `TEXTS`
and `OUTPUTS`; ranges, lists and tuples instead of arrays. As a script: what is refused.
"""

import ast
import inspect
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

import srcgrad as flow
from srcgrad.errors import SrcgradError, UnsupportedError
from tests.support.choices import parameters_of
from tests.support.samples import BY_PLACE, SAMPLES, SPACE, P, Sample, _call_in, inputs, made
from tests.support.test_short_arrays import difference, outcome

DTYPES = ("None", "np.float32", "'f8'", "float", "complex", "int", "np.bool_")
# what stands for a parameter, beside the values of `choices.py`; names are of `inputs()`
TEXTS: dict[str, tuple[str, ...]] = {
    "order": ("'C'", "'F'", "'A'", "'K'"), "dtype": DTYPES, "subok": ("True", "False"),
    "casting": ("'no'", "'equiv'", "'safe'", "'same_kind'", "'unsafe'"),
    "where": ("b", "True", "False", "u > 0.5"), "initial": ("0.5", "2", "None"),
    "like": ("None",), "device": ("None", "'cpu'"), "out": ("None",),
    "prepend": ("0.5", "x[:, :1]"), "append": ("0.5", "x[:, :1]"), "weights": ("u", "x", "None"),
    "nan": ("1.5",), "posinf": ("2.5",), "neginf": ("-2.5",), "fill_value": ("0.5",),
    "left": ("0.5",), "right": ("-0.5",), "period": ("2.0",), "to_begin": ("0.5",),
    "to_end": ("0.5", "[1.5, 2.5]"), "dx": ("0.5",), "rcond": ("1e-9",), "rtol": ("1e-3",),
    "atol": ("1e-3",), "min": ("0.2",), "max": ("0.6",), "a_min": ("0.2",), "a_max": ("0.6",),
    "ddof": ("1",), "mean": ("np.mean(x, axis=-1, keepdims=True)",), "M": ("4",), "N": ("3",),
    "start": ("1",), "stop": ("5",), "step": ("2",), "discont": ("4.0",),
    "fweights": ("[1, 2, 1, 1]",), "aweights": ("u",), "reps": ("2",), "newshape": ("(2, 6)",),
    "reflect_type": ("'even'", "'odd'"), "constant_values": ("0.5", "(1, 2)"),
    "end_values": ("0.5",), "stat_length": ("2",), "axis": ("0", "-1", "(0,)", "None"),
    "axes": ("(0, 1)", "None"), "keepdims": ("True", "False"), "signature": ("'dd->d'", "'d->d'"),
}  # fmt: skip
# of the functions that say `**kwargs`
OF_KEYWORDS = {"np.pad": ("reflect_type", "constant_values", "end_values", "stat_length")}
OF_UFUNCS = ("out", "where", "casting", "order", "dtype", "subok", "signature", "keepdims", "axis",
             "axes")  # fmt: skip
# arrays for `out=`, of the result's shape and dtype, and others
OUTPUTS: dict[str, Callable[[Any], Any]] = {
    "alike": lambda r: np.full(np.shape(r), 7, np.asarray(r).dtype),
    "a tuple": lambda r: (np.full(np.shape(r), 7, np.asarray(r).dtype),),
    "turned": lambda r: np.full(np.shape(r)[::-1], 7, np.asarray(r).dtype).T,
    "single": lambda r: np.full(np.shape(r), 7, "f4"),
    "complex": lambda r: np.full(np.shape(r), 7, "c16"),
    "whole": lambda r: np.full(np.shape(r), 7, "i8"),
    "longer": lambda r: np.full((2, *np.shape(r)), 7, np.asarray(r).dtype),
}  # fmt: skip


@dataclass(frozen=True)
class Variant:
    """A sample's call with another argument, or the same ones in another form."""

    sample: Sample
    text: str
    f: Callable[..., Any]
    args: tuple[Any, ...]
    keyword: str = ""

    @property
    def name(self) -> str:
        return f"{self.text} of {self.sample.line}"


def parameters(sample: Sample) -> dict[str, Any]:
    """The library's own parameters, with how each may be given; those of `**kwargs` too."""
    if isinstance(sample.function, np.ufunc):
        return dict.fromkeys(OF_UFUNCS, P.KEYWORD_ONLY)
    try:
        own = inspect.signature(sample.function).parameters
    except (TypeError, ValueError):
        return {}
    found = {n: p.kind for n, p in own.items() if p.kind is not P.VAR_KEYWORD}
    return found | dict.fromkeys(OF_KEYWORDS.get(sample.name, ()), P.KEYWORD_ONLY)


def variants(sample: Sample) -> Iterator[Variant]:
    yield from _by_name(sample)
    known, taken = parameters(sample), _given(sample)
    for name, kind in known.items():
        if kind in (P.VAR_POSITIONAL, P.POSITIONAL_ONLY) or name in taken:
            continue
        for text in _texts(sample, name):
            yield _with(sample, {name: text}, name)
        if name == "out":
            yield from _into(sample, known)
    yield from _arraylikes(sample)


def _tree(sample: Sample) -> tuple[ast.expr, ast.Call]:
    tree = ast.parse(sample.line, mode="eval").body
    return tree, _call_in(tree)


def _given(sample: Sample) -> set[str]:
    """The parameters that the call of a sample gives."""
    call = _tree(sample)[1]
    by_place = [n for n, kind in parameters(sample).items() if kind in BY_PLACE]
    return {*by_place[: len(call.args)], *(k.arg for k in call.keywords if k.arg)}


# ufuncs of scipy.special write outside of their operands with a mask: its loops take `where=` for
# one whole stretch; seen in 1.17.1 with 95 of them, in 1.18.1 with none
MASKS_CRASH = np.lib.NumpyVersion(scipy.__version__) < "1.18.0"


def _masked(sample: Sample, name: str) -> bool:
    """Whether the library itself cannot be called so."""
    special = isinstance(sample.function, np.ufunc) and sample.name.startswith("special.")
    return name == "where" and special and MASKS_CRASH


def _texts(sample: Sample, name: str) -> list[str]:
    if _masked(sample, name):
        return []
    own = TEXTS.get(name, ())
    return list(dict.fromkeys([*own, *map(_spelled, parameters_of(sample).get(name, ()))]))


def _spelled(v: Any) -> str:
    if isinstance(v, type):
        return f"np.{v.__name__}" if issubclass(v, np.generic) else v.__name__
    return f"{'-' if v < 0 else ''}np.inf" if isinstance(v, float) and np.isinf(v) else repr(v)


def _by_name(sample: Sample) -> Iterator[Variant]:
    tree, call = _tree(sample)
    names = [n for n, kind in parameters(sample).items() if kind is P.POSITIONAL_OR_KEYWORD]
    only = [n for n, kind in parameters(sample).items() if kind is P.POSITIONAL_ONLY]
    if only or not call.args or len(names) < len(call.args) or _starred(call):
        return
    named = [ast.keyword(n, v) for n, v in zip(names, call.args, strict=False)]
    call.keywords, call.args = [*named, *call.keywords], []
    yield _made(sample, tree, "all by name", {}, names[0])


def _starred(call: ast.Call) -> bool:
    return any(isinstance(a, ast.Starred) for a in call.args)


def _with(
    sample: Sample, texts: dict[str, str], keyword: str, extra: dict[str, Any] | None = None
) -> Variant:
    tree, call = _tree(sample)
    for name, text in texts.items():
        call.keywords = [k for k in call.keywords if k.arg != name]
        call.keywords.append(ast.keyword(name, ast.parse(text, mode="eval").body))
    told = ", ".join(f"{n}={t}" for n, t in texts.items())
    return _made(sample, tree, told, extra or {}, keyword)


def _into(sample: Sample, known: dict[str, Any]) -> Iterator[Variant]:
    """The call with `out=`, and with `where=` and `casting=` beside it."""
    result = outcome(sample.program(), sample.arguments(inputs()))
    if isinstance(result, tuple):
        given = tuple(np.zeros(np.shape(r), np.asarray(r).dtype) for r in result)
        yield _with(sample, {"out": "out0"}, "out", {"out0": given})
        return
    for said, form in OUTPUTS.items():
        extra = {"out0": form(result)}
        made = _with(sample, {"out": "out0"}, "out", extra)
        yield Variant(sample, f"out={said}", made.f, made.args, "out")
        for name in ("where", "casting"):
            if name in known and said in ("alike", "whole") and not _masked(sample, name):
                text = {"where": "b", "casting": "'unsafe'"}[name]
                made = _with(sample, {"out": "out0", name: text}, name, extra)
                yield Variant(sample, f"out={said}, {name}={text}", made.f, made.args, name)


def _arraylikes(sample: Sample) -> Iterator[Variant]:
    """Ranges, and lists and tuples of what the program computes, in the places of arrays."""
    tree, call = _tree(sample)
    for place, node in enumerate(call.args):
        if isinstance(node, ast.Starred | ast.Lambda):
            continue
        text = ast.unparse(node)
        value = outcome(lambda text=text: np.asarray(eval(text, {**SPACE, **inputs()})), ())
        if isinstance(value, Exception) or value.ndim not in (1, 2) or value.dtype == object:
            continue
        for form in _forms(sample.name, text, value):
            tree, call = _tree(sample)
            call.args[place] = ast.parse(form, mode="eval").body
            yield _made(sample, tree, f"{place}: {form}", {})


def _forms(name: str, text: str, a: np.ndarray) -> Iterator[str]:
    n = len(a)
    if ".polynomial." in name:  # its tests of what is an array leave ranges out
        return
    if a.ndim == 1:
        yield from (f"range(1, {n + 1})", f"[{', '.join(f'({text})[{k}]' for k in range(n))}]")
        return
    yield f"[{', '.join(f'range({k}, {k + a.shape[1]})' for k in range(n))}]"
    yield f"({', '.join(f'({text})[{k}]' for k in range(n))},)"


def _made(
    sample: Sample, tree: ast.expr, told: str, extra: dict[str, Any], keyword: str = ""
) -> Variant:
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    values = {**inputs(), **extra}
    reads = sorted(names & set(values))
    result = ast.unparse(tree)
    if extra:
        body = f"    made = {result}\n    return made, {', '.join(extra)}\n"
    elif sample.stores:
        body = f"    {result}\n    return {', '.join(sample.reads[:1])}\n"
    else:
        body = f"    return {result}\n"
    f = made(f"def call({', '.join(reads)}):\n{body}")
    return Variant(sample, told, f, tuple(values[n] for n in reads), keyword)


# ---- what a variant gives ----
def answer(variant: Variant, target: str = "python") -> tuple[str, str]:
    """A problem of a variant, and how it is refused; both empty if it is NumPy's."""
    want = outcome(variant.f, variant.args)
    got = outcome(flow.compile(variant.f, target=target), variant.args)
    if not isinstance(got, SrcgradError) or not isinstance(got, UnsupportedError):
        if isinstance(want, Exception) and isinstance(got, SrcgradError):
            return "", ""
        return difference(got, want), ""
    said = str(got).splitlines()[0]
    if got.location is None:
        return f"refused without a line: {said}", said
    if isinstance(want, Exception):
        return "", ""
    if isinstance(got, TypeError):
        return f"TypeError, which NumPy does not raise: {said}", said
    if variant.keyword and variant.keyword not in str(got):
        return f"refused without the name {variant.keyword!r}: {said}", said
    return "", said


def main(only: str) -> None:
    refused: Counter[str] = Counter()
    count = wrong = 0
    for sample in SAMPLES:
        if only not in sample.line:
            continue
        for variant in variants(sample):
            count += 1
            problem, said = answer(variant)
            if problem:
                wrong += 1
                print(f"WRONG {variant.name}: {problem}".replace("\n", " ")[:300], flush=True)
            elif said:
                refused[said] += 1
                print(f"{variant.name}: {said}"[:200])
    print(f"{count} variants, {wrong} wrong, {sum(refused.values())} refused")


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")
    main(sys.argv[1] if len(sys.argv) > 1 else "")
