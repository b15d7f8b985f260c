"""Every function takes 0-d arrays, numbers, nested lists and tuples where NumPy does.

Value, dtype and shape are NumPy's, or its exception, or the call is refused; gradients have the
structure of the argument and agree with differences. A number may come where NumPy has an array of
rank 0, and the other way round.
"""

import copy
import zlib
from typing import Any

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import SrcgradError, UnsupportedError
from tests.support.arraylikes import Call, calls, leaves, mapped
from tests.support.samples import SAMPLES, Sample
from tests.support.test_array_semantics import weighted
from tests.support.test_short_arrays import NO_KIND, difference, outcome
from tests.tools.turns import share

# the step of a central difference h, and the tolerance: eps / h + h**2 is least where h**3 is eps
STEP, TOLERANCE = 1e-6, 1e-5
STEP_OF_SINGLES, TOLERANCE_OF_SINGLES = 4e-3, 1e-3  # eps is 6e-8
# functions that take what the library refuses: a number for an array, an array for a number, a
# nested list for a vector, what does not sum to one, an integer of NumPy's for Python's, an array
# of one element that is stored as that element (NumPy takes it before 2.4)
ACCEPTING = (
    "round", "bisect.bisect_left", "bisect.bisect_right", "np.block", "np.logspace",
    "np.linspace", "np.roll", "np.insert", "np.piecewise", "np.fft.fftshift", "np.fft.ifftshift",
    "np.fft.fftfreq", "np.fft.rfftfreq", "fft.fftshift", "fft.ifftshift", "fft.fftfreq",
    "fft.rfftfreq", "np.linalg.tensorinv", "stats.multivariate_normal.logpdf",
    "stats.multivariate_normal.pdf", "stats.dirichlet.logpdf", "stats.dirichlet.pdf",
    "np.apply_over_axes", "np.polyint", "np.polyder", "np.unravel_index", "np.compress",
    "signal.sweep_poly", "np.roots", "math.ldexp", "signal.lp2bp", "signal.lp2bs",
)  # fmt: skip
# lines that differ on purpose, and why
OF_THE_RUN = "a length that is -1 when it runs is none"
WIDER = "a list of numbers of two precisions is an array of the wider one"
PARTS = "all parts are given"
STRETCHED = "a matrix is not broadcast to the right side"
PADDED = "SciPy makes the shorter signal longer by zeros in the shape of the other"
ISTFT = "signal.istft(signal.stft(np.tile(u, 3), nperseg=4)[2], nperseg=4)[1]"
LSIM = "signal.lsim(([p], [1.0, q]), [1.0, 2.0, 3.0], [0.0, 0.5, 1.0])[1]"
KNOWN = {
    f"{LSIM} with 1: 0-d, 2: 0-d": "raises for one input and one time without axes",
    f"{ISTFT} with 0: in lists": "raises for what has no window; SciPy gives nothing",
    "stats.pmean(x, 3) with 1: numpy": "Python's and NumPy's numbers are one exponent",
    "np.reshape(x, -1) with 1: number": OF_THE_RUN,
    "np.reshape(x, -1) with 1: numpy": OF_THE_RUN,
    "np.reshape(x, -1) with 1: 0-d": OF_THE_RUN,
    "np.reshape(x, -1) with 1: flat": OF_THE_RUN,
    "stats.dirichlet.pdf([p, 1 - p], [1.5, 2.5]) with 0: in a tuple": PARTS,
    "stats.dirichlet.pdf([p, 1 - p], [1.5, 2.5]) with 0: in lists": PARTS,
    "stats.dirichlet.logpdf([p, 1 - p], [1.5, 2.5]) with 0: in a tuple": PARTS,
    "stats.dirichlet.logpdf([p, 1 - p], [1.5, 2.5]) with 0: in lists": PARTS,
    "linalg.solve(A, x) with 0: in lists": STRETCHED,
    "linalg.solve_discrete_lyapunov(B / 9, A) with 0: in lists": STRETCHED,
    "np.percentile(t, 30.0) with 1: single": "a place of single precision is divided in it",
    "ndimage.gaussian_filter(x, 1.0) with 1: single": WIDER,
    "ndimage.gaussian_laplace(x, 1.0) with 1: single": WIDER,
    "max(u) with 0: single": "Python's number beside NumPy's of single precision is one of these",
    "sorted([q, p]) with 0: single": "Python's number beside NumPy's of single precision",
    "max(u) with 0: mixed": "the wider of the classes of the items",
    "sorted([q, p]) with 0: mixed": "the wider of the classes of the items",
    "min(u) with 0: mixed": "the wider of the classes of the items",
    "[*itertools.takewhile(bool, [p, 0.0])] with 1: mixed": "the wider of the classes of the items",
    "[*itertools.takewhile(bool, [p, 0.0])] with 1: single": (
        "Python's number beside NumPy's of single precision is one of these"
    ),
    "np.roots(c[0]) with 0: in a tuple": NO_KIND,
    **{
        f"signal.csd(np.tile(u, 3), np.tile(v, 3), nperseg=5) with {k}: in lists": PADDED
        for k in (0, 1)
    },
}
# steps and ties: the differences of NumPy jump, or are of another element
UNEVEN = (
    "round", "around", "rint", "fix", "floor", "ceil", "trunc", "sign", "modf", "divmod",
    "takewhile",
)  # fmt: skip


def problem(call: Call, target: str) -> str:
    args = (*call.given, *call.rest)
    want = outcome(call.f, args)
    got = outcome(flow.compile(call.f, target=target), args)
    if isinstance(got, UnsupportedError):
        return "" if got.location else f"refused without a line: {got}"
    if isinstance(want, Exception) and isinstance(got, SrcgradError):
        return ""
    if isinstance(want, AttributeError) or (isinstance(want, Exception) and call.of in ACCEPTING):
        return ""  # a list has no `ndim`: here it is an array
    return "" if call.name in KNOWN else difference(got, want)


def slope(call: Call, step: float) -> float:
    """How NumPy's result changes along one direction of all floats that are given."""

    def moved(h: float) -> Any:
        draw = np.random.default_rng(3)
        return [mapped(None, lambda v: _moved(v, h, draw), v) for v in call.given]

    up, down = (weighted(call.f(*copy.deepcopy((*moved(h), *call.rest)))) for h in (step, -step))
    return (up - down) / (2 * step)


def _moved(v: Any, h: float, draw: Any) -> Any:
    if np.asarray(v).dtype.kind != "f":
        return v
    y = v + h * draw.normal(size=np.shape(v))
    return np.asarray(y) if isinstance(v, np.ndarray) else type(v)(y)


def is_smooth(call: Call) -> bool:
    kinds = {np.asarray(v).dtype for v in leaves(list(call.given))}
    return kinds <= {np.dtype(float)} and not any(f".{n}(" in call.name for n in UNEVEN)


def gradient_problem(call: Call, target: str) -> str:
    """What is wrong with the gradient by what is given, all of it floats."""
    result = outcome(call.f, (*call.given, *call.rest))
    single = any(np.asarray(v).dtype in (np.float32, np.complex64) for v in leaves([result]))
    step = STEP_OF_SINGLES if single else STEP
    with np.errstate(all="ignore"):
        want = outcome(lambda: slope(call, step), ())
    if isinstance(want, Exception) or not np.isfinite(want):
        return ""
    places = tuple(range(len(call.given)))

    def loss(*args: Any) -> Any:
        return weighted(call.f(*args))

    gradient = flow.grad(flow.compile(loss, target=target), places)
    found = outcome(gradient, (*call.given, *call.rest))
    if isinstance(found, UnsupportedError):
        # of a position that no derivative is taken by the entrance tells, not a line
        located = found.location or "must be known at compile time" in str(found)
        return "" if located else f"refused without a line: {found}"
    if isinstance(found, Exception):
        return repr(found)
    parts = leaves([found] if len(places) == 1 else list(found))
    given = leaves(list(call.given))
    if [np.shape(p) for p in parts] != [np.shape(v) for v in given]:
        return f"the gradient {found} has another structure"
    draw = np.random.default_rng(3)
    total = sum(np.sum(p * draw.normal(size=np.shape(p))) for p in parts)
    near = TOLERANCE_OF_SINGLES if single else TOLERANCE
    return "" if np.allclose(total, want, rtol=near, atol=near) else f"{total} for {want}"


def problems(sample: Sample, of: Any, target: str = "python") -> list[str]:
    found = []
    for k, call in enumerate(calls(sample)):
        if not of(k):
            continue
        text = problem(call, target)
        smooth = is_smooth(call) and not sample.stores and call.name not in KNOWN
        if not text and smooth and of(k + 1):
            text = gradient_problem(call, target)
        if text:
            found.append(f"{call.name}: {text}")
    return found


@pytest.mark.parametrize("sample", share(SAMPLES), ids=lambda s: s.line)
def test_a_sample(sample: Sample):
    begin = zlib.crc32(sample.line.encode())
    assert not problems(sample, lambda k: (k + begin) % 15 < 2)


@pytest.mark.full
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda s: s.line)
def test_all_forms_of_a_sample(sample: Sample):
    assert not problems(sample, lambda k: True)
