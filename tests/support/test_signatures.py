"""Every function takes what the library's own signature says, or refuses it by its name.

Each parameter by keyword with its values, `out=` arrays of several kinds, ranges and lists in the
place of arrays: value, dtype and shape are the library's, or its exception. A refusal has a line,
names the keyword, and is no TypeError where the library raises none.
"""

import re
import zlib

import numpy as np
import pytest
from scipy import ndimage

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from tests.support.samples import SAMPLES, Sample, sample_of
from tests.support.signatures import Variant, answer, variants
from tests.tools.turns import share

PARTS = 12  # of the variants of a sample; a run tries one
# where the library raises and the call is taken here, and what is taken
ACCEPTED = {
    "a tuple of one axis": (
        "np.argmax", "np.argmin", "np.nanargmax", "np.nanargmin", "np.cross", "np.linalg.cross",
    ),
    "a nested list": (
        "np.apply_over_axes", "np.split", "np.vsplit", "np.hsplit", "np.dsplit",
        "np.take_along_axis", "np.put_along_axis", "np.piecewise",
    ),
    "a list or a range that is a signal": (
        "signal.coherence", "signal.spectrogram", "signal.welch",
    ),
    "a range": (".polynomial.", "stats.dirichlet"),
    "any order of the memory": ("np.dot",),
    "a range of booleans": ("np.arange", "np.fromfunction", "np.indices"),
    "a flag or a name of another class": ("np.concatenate", "np.meshgrid", "np.einsum"),
    "a mode that is none": ("ndimage.spline_filter",),
    "the names of a signature that the library does not take": ("special.sph_harm_y",),
    "the name of a driver that is not used": ("linalg.eig", "linalg.expm_frechet", "linalg.svd",
                                              "linalg.lstsq", "linalg.cho_factor",
                                              "linalg.solveh_banded"),
}  # fmt: skip
# variants that differ on purpose, and why
NO_RESULT = "a range is no result of a compiled function"
SINGULAR = "has no solution, or not one"
OF_OTHERS = "is a parameter of another function"
UNFINISHED = "is NaN where LAPACK leaves what a factorisation that stopped had so far"
KNOWN = {
    "0: [range(0, 4), range(1, 5), range(2, 6)] of copy.copy(x)": NO_RESULT,
    "0: [range(0, 4), range(1, 5), range(2, 6)] of copy.deepcopy(x)": NO_RESULT,
    "0: range(1, 5) of np.trim_zeros(u)": NO_RESULT,
    **{f"{k}: [range(0, 3), range(1, 4), range(2, 5)] of math.sumprod(A, B)":
       "multiplies ranges, which Python repeats" for k in (0, 1)},
    "0: [range(0, 3), range(1, 4), range(2, 5)] of linalg.solve_continuous_lyapunov(A, B)":
        SINGULAR,
    "0: [range(0, 3), range(1, 4), range(2, 5)] of linalg.sqrtm(S)": SINGULAR,
    "0: [range(0, 3), range(1, 4), range(2, 5)] of linalg.logm(S)": SINGULAR,
    "1: [range(0, 1)] of stats.multivariate_normal.entropy(u[:1], [[2.0]])": SINGULAR,
    **{f"0: [range(0, 3), range(1, 4), range(2, 5)] of lapack.{p}potrf(S)[0]": UNFINISHED
       for p in "ds"},
    **{f"0: [range(0, 3), range(1, 4), range(2, 5)] of lapack.{p}potrs(S, x)[0]": SINGULAR
       for p in "ds"},
    **{f"type={v!r} of linalg.{f}": OF_OTHERS for v in ("linear", "constant")
       for f in ("eigh(S)[0]", "eigvalsh(S)")},
}  # fmt: skip
# before SciPy 1.18 the filter loses digits of short reflected images: 7 a + b = 0, a + 7 b = 8
if abs(ndimage.spline_filter1d([0.0, 1.0], 2, mode="reflect")[1] - 7.0 / 6.0) > 1e-9:
    KNOWN["mode='reflect' of ndimage.map_coordinates(x, [[0.3, 1.6], [0.7, 2.2]])"] = (
        "is computed from coefficients that this SciPy gets wrong"
    )


def problem(variant: Variant, target: str) -> str:
    if variant.name in KNOWN:
        return ""
    text, _ = answer(variant, target)
    accepted = [n for names in ACCEPTED.values() for n in names]
    if re.search(r" for \w*Error\(", text):
        return "" if any(n in variant.sample.line for n in accepted) else text
    return text


def problems(sample: Sample, part: int, target: str = "python") -> list[str]:
    tried = [v for k, v in enumerate(variants(sample)) if part < 0 or k % PARTS == part]
    return [f"{v.name}: {text}" for v in tried if (text := problem(v, target))]


@pytest.mark.parametrize("sample", share(SAMPLES), ids=lambda s: s.line)
def test_a_sample(sample: Sample):
    assert not problems(sample, zlib.crc32(sample.line.encode()) % PARTS)


@pytest.mark.full
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda s: s.line)
def test_all_variants_of_a_sample(sample: Sample):
    assert not problems(sample, -1)


@pytest.mark.parametrize("sample", share(SAMPLES)[::12], ids=lambda s: s.line)
def test_a_sample_on_the_cpu(sample: Sample):
    assert not problems(sample, zlib.crc32(sample.line.encode()) % PARTS, "cpu")


def test_the_sweep_finds_a_keyword_that_is_not_taken_by_name():
    def unnamed(x):
        return np.isfortran(x)

    variant = Variant(sample_of(np.exp), "subok=True", unnamed, (np.ones(2),), "subok")
    with pytest.raises(UnsupportedError):
        flow.compile(unnamed, target="python")(np.ones(2))
    assert "without the name 'subok'" in answer(variant)[0]


def test_variants_are_of_every_kind():
    told = " ".join(v.text for v in variants(sample_of(np.median)))
    for kind in ("all by name", "axis=0", "keepdims=True", "overwrite_input=True", "out=alike",
                 "range("):  # fmt: skip
        assert kind in told
