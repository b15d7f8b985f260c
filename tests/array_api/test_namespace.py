"""The namespace of the array API: names, dtypes, versions, and what differs from PyTorch's face."""

import inspect

import numpy as np
import pytest

import srcgrad as flow
from srcgrad import array_api as xp
from srcgrad.errors import ArgumentValueError, TensorIndexError, TensorTypeError

# the standard's functions by its sections (2025.12), without those of two extensions
NAMES = {
    "creation": "arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid "
    "ones ones_like tril triu zeros zeros_like",
    "dtypes": "astype can_cast finfo iinfo isdtype result_type bool int8 int16 int32 int64 uint8 "
    "uint16 uint32 uint64 float32 float64 complex64 complex128 e inf nan newaxis pi",
    "elementwise": "abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_invert "
    "bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos "
    "cosh divide equal exp expm1 floor floor_divide greater greater_equal hypot imag isfinite "
    "isinf isnan less less_equal log log10 log1p log2 logaddexp logical_and logical_not "
    "logical_or logical_xor maximum minimum multiply negative nextafter not_equal positive pow "
    "real reciprocal remainder round sign signbit sin sinh sqrt square subtract tan tanh trunc",
    "products": "matmul matrix_transpose tensordot vecdot",
    "manipulation": "broadcast_arrays broadcast_shapes broadcast_to concat expand_dims flip "
    "moveaxis permute_dims repeat reshape roll squeeze stack tile unstack take take_along_axis",
    "searches": "argmax argmin count_nonzero nonzero searchsorted where isin unique_all "
    "unique_counts unique_inverse unique_values argsort sort",
    "statistics": "cumulative_prod cumulative_sum max mean min prod std sum var all any diff",
}
LINALG = (
    "cholesky cross det diagonal eig eigh eigvals eigvalsh inv matmul matrix_norm matrix_power "
    "matrix_rank matrix_transpose outer pinv qr slogdet solve svd svdvals tensordot trace vecdot "
    "vector_norm"
)
FFT = "fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft fftfreq rfftfreq fftshift ifftshift"


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_names_are_complete(names):
    assert not [n for n in names.split() if not hasattr(xp, n) or n not in dir(xp)]


def test_extensions_are_complete():
    assert sorted(xp.linalg.__all__) == sorted(LINALG.split())
    assert sorted(xp.fft.__all__) == sorted(FFT.split())


def test_no_function_takes_arguments_that_it_does_not_name():
    takes_several = {"broadcast_arrays", "broadcast_shapes", "meshgrid", "result_type"}
    for space in (xp, xp.linalg, xp.fft):
        for name in space.__all__:
            f = getattr(space, name)
            if not inspect.isfunction(f):
                continue
            kinds = {p.kind for p in inspect.signature(f).parameters.values()}
            assert name in takes_several or inspect.Parameter.VAR_POSITIONAL not in kinds, name


def test_functions_have_an_example():
    for space in (xp, xp.linalg, xp.fft):
        functions = {n: getattr(space, n) for n in space.__all__}
        assert not [n for n, f in functions.items() if callable(f) and ">>>" not in f.__doc__]


def test_tensors_name_their_namespace():
    x = flow.tensor([1.0])
    assert x.__array_namespace__() is xp
    assert x.__array_namespace__(api_version="2023.12") is xp
    with pytest.raises(ArgumentValueError, match=r"2020\.01"):
        x.__array_namespace__(api_version="2020.01")


def test_information():
    info = xp.__array_namespace_info__()
    assert info.default_device() in info.devices()
    assert info.default_dtypes()["real floating"] is flow.get_default_dtype()
    assert set(info.dtypes(kind="unsigned integer")) == {"uint8", "uint16", "uint32", "uint64"}
    assert info.capabilities()["boolean indexing"]


# ---- promotion: the standard's in functions, PyTorch's in operators ----
def test_dims_do_not_count_in_promotion():
    one, other = xp.ones(3, dtype=xp.float32), xp.asarray(2.0, dtype=xp.float64)
    assert xp.multiply(one, other).dtype is xp.float64
    assert (one * other).dtype is flow.float32


@pytest.mark.parametrize("one", ["uint8", "int16", "uint32", "float32", "float64", "complex64"])
@pytest.mark.parametrize("other", ["uint8", "int8", "int32", "float32", "complex128"])
def test_promotion_is_numpys(one, other):
    if "int" in one + other and ("float" in one + other or "complex" in one + other):
        return  # mixed kinds are no part of the standard
    kind = np.result_type(one, other)
    made = xp.add(xp.ones(2, dtype=getattr(xp, one)), xp.ones((), dtype=getattr(xp, other)))
    assert made.dtype.np == kind
    assert xp.result_type(getattr(xp, one), getattr(xp, other)).np == kind


@pytest.mark.parametrize(
    ("kind", "summed"),
    [("uint8", "uint64"), ("uint32", "uint64"), ("int8", "int64"), ("float32", "float32")],
)
def test_sums_have_the_standards_dtype(kind, summed):
    x = xp.full((2, 2), 100, dtype=getattr(xp, kind))
    for f in (xp.sum, xp.prod):
        assert f(x).dtype is getattr(xp, summed)
    assert xp.cumulative_sum(x, axis=0).dtype is getattr(xp, summed)
    assert int(xp.sum(x)) == 400


def test_no_dims_are_no_reduction():
    x = xp.asarray([[1.0, 2.0]])
    assert xp.sum(x, axis=()).shape == (1, 2)
    assert xp.max(x, axis=()).tolist() == [[1.0, 2.0]]
    assert xp.var(x, axis=()).tolist() == [[0.0, 0.0]]


@pytest.mark.parametrize("correction", [0, 0.5, 1, 3, 4.5])
def test_corrections_are_numpys(correction):
    x = np.array([1.0, 4.0, 2.0])
    with np.errstate(all="ignore"):
        expected = np.var(x, ddof=correction) if correction < 3 else np.inf
    assert float(xp.var(xp.asarray(x), correction=correction)) == pytest.approx(expected)


def test_a_sum_with_the_first_in_front():
    x = xp.asarray([2.0, 3.0])
    assert xp.cumulative_sum(x, include_initial=True).tolist() == [0.0, 2.0, 5.0]
    assert xp.cumulative_prod(x, include_initial=True).tolist() == [1.0, 2.0, 6.0]


def test_unique_elements():
    x = xp.asarray([[2.0, 1.0], [2.0, float("nan")], [float("nan"), 3.0]])
    found = xp.unique_all(x)
    assert found.values.tolist()[:3] == [1.0, 2.0, 3.0] and len(found.values) == 5
    assert found.counts.tolist() == [1, 2, 1, 1, 1]
    assert found.inverse_indices.shape == x.shape
    assert xp.unique_counts(x).counts.tolist() == found.counts.tolist()


# ---- copies ----
def test_copies_are_made_where_they_are_asked_for():
    a = np.ones(3)
    shared, copied = xp.asarray(a), xp.asarray(a, copy=True)
    a[0] = 5.0
    assert float(shared[0]) == 5.0 and float(copied[0]) == 1.0
    assert xp.asarray(shared) is shared
    with pytest.raises(ArgumentValueError, match="copy is False"):
        xp.asarray([1.0], copy=False)
    with pytest.raises(ArgumentValueError, match="copy is False"):
        xp.reshape(xp.permute_dims(xp.ones((2, 3)), (1, 0)), (6,), copy=False)
    assert xp.astype(shared, xp.float64, copy=False) is shared
    assert xp.astype(shared, xp.float64) is not shared


@pytest.mark.parametrize(
    ("f", "error"),
    [
        (lambda x: xp.squeeze(x, 0), ArgumentValueError),
        (lambda x: xp.squeeze(x, 5), TensorIndexError),
        (lambda x: xp.expand_dims(x, 5), TensorIndexError),
        (lambda x: xp.expand_dims(x, (0, 0)), ArgumentValueError),
        (lambda x: xp.astype(x + 0j, xp.float64), TensorTypeError),
        (lambda x: xp.cumulative_sum(x), ArgumentValueError),
        (lambda x: xp.linalg.outer(x, x), ArgumentValueError),
        (lambda x: xp.vecdot(x, x[:, :1]), ArgumentValueError),
        (lambda x: xp.isdtype(x.dtype, "no kind"), ArgumentValueError),
        (lambda x: xp.take(x, xp.asarray([0])), ArgumentValueError),
        (lambda x: xp.meshgrid(x[0], indexing="no"), ArgumentValueError),
        (lambda x: x.to_device("cpu", stream=1), ArgumentValueError),
        (lambda x: xp.result_type(1, 2), ArgumentValueError),
    ],
)
def test_wrong_arguments_are_told(f, error):
    x = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(error):
        f(x)
    assert x.tolist() == [[1.0, 2.0], [3.0, 4.0]]
