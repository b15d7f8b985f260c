"""Arguments of SciPy's functions on samples, signals and images that have no meaning or no rule."""

import numpy as np
import scipy.fft
import scipy.fftpack
from scipy import integrate, ndimage, signal
from scipy.spatial import distance

from tests.cases.registry import mat, vec
from tests.errors.programs import program

SINGLE = np.array([1.0, 2.0, 4.0], dtype=np.float32)


# ---- integrals ----
@program(SINGLE)
def parabolas_of_single_precision(y):
    return integrate.simpson(y)  # error: UnsupportedError: depends on the number ... np.float64


@program(vec(4))
def places_of_another_length(y):
    return integrate.simpson(y, x=[0.0, 1.0, 2.0])  # error: ValueError: must be the same as y


@program(vec(4))
def first_running_integral(y):
    z = integrate.cumulative_trapezoid(y, initial=1.0)  # error: ValueError: must be `None` or `0`
    return z[0]


@program(vec(4))
def axis_of_integral(y):
    return integrate.simpson(y, axis=1)  # error: UnsupportedError: axis 1


# ---- transforms ----
@program(vec(4))
def type_of_cosine_transform(x):
    return scipy.fft.dct(x, 4)[0]  # error: UnsupportedError: types 2 and 3


@program(vec(4))
def norm_of_cosine_transform(x):
    return scipy.fft.idct(x, norm="unit")[0]  # error: UnsupportedError: Invalid norm value 'unit'


@program(mat(3, 4))
def shape_of_cosine_transform(x):
    return scipy.fft.dctn(x, s=(2, 2), axes=0)[0, 0]  # error: ValueError: of the same length


@program(mat(3, 4))
def long_shape_of_cosine_transform(x):
    return scipy.fft.dctn(x, s=(2, 2, 3))[0, 0]  # error: ValueError: more axes than are present


@program(mat(3, 4))
def packed_shape_of_cosine_transform(x):
    return scipy.fftpack.dctn(x, shape=(2,))[0, 0]  # error: ValueError: of the same length


@program(vec(4))
def orthogonalized_cosine_transform(x):
    return scipy.fft.dct(x, orthogonalize=True)[0]  # error: UnsupportedError: must be True for


@program(vec(4))
def no_places_of_cosine_transform(x):
    return scipy.fft.dct(x, n=0)[0]  # error: ValueError: invalid number of data points


@program(mat(2, 2))
def transform_along_an_axis_twice(x):
    return scipy.fft.fftn(x, axes=(0, 0)).real[0, 0]  # error: UnsupportedError: must be unique


@program(vec(4))
def planned_transform(x):
    return scipy.fft.fft(x, plan=1).real[0]  # error: UnsupportedError: a precomputed plan


@program(vec(4))
def frequencies_elsewhere(x):
    f = scipy.fft.fftfreq(4, xp=np)  # error: UnsupportedError: with xp or device ... leave them out
    return np.sum(f * x)


# ---- signals ----
@program(vec(4))
def mode_of_convolution(x):
    return signal.convolve(x, x, "half")[0]  # error: UnsupportedError: the mode 'half'


@program(vec(4))
def convolution_with_a_matrix(x):
    return signal.correlate(x, np.ones((2, 2)))[0]  # error: UnsupportedError: two vectors or


@program(mat(3, 2))
def valid_part_of_none(x):
    return signal.convolve2d(x, x.T, "valid")[0, 0]  # error: ValueError: at least as large


@program(mat(3, 2))
def boundary_of_convolution(x):
    y = signal.convolve2d(x, x, boundary="wrap")  # error: UnsupportedError: boundaries ... np.pad
    return y[0, 0]


@program(vec(4))
def filter_without_its_result(x):
    return signal.lfilter([1.0], [0.0, 1.0], x)[0]  # error: ValueError: a[0] of lfilter is 0


@program(vec(4))
def trend_with_breaks(x):
    return signal.detrend(x, bp=2)[0]  # error: UnsupportedError: break points


# ---- distances ----
@program(mat(3, 2))
def unknown_metric(x):
    y = distance.cdist(x, x, "jaccard")  # error: UnsupportedError: by 'jaccard' ... 'cityblock'
    return y[0, 0]


@program(np.ones((2, 2, 2)))
def squareform_of_three_axes(x):
    return distance.squareform(x)[0, 0]  # error: ValueError: one or two dimensional


@program(mat(3, 3))
def squareform_that_is_forced(x):
    return distance.squareform(x, "tomatrix")[0, 0]  # error: ValueError: Forcing 'tomatrix'


@program(mat(3, 3))
def squareform_of_no_distances(x):
    return distance.squareform(x)[0]  # error: ValueError: must be symmetric


@program(vec(4))
def squareform_of_four(x):
    return distance.squareform(x)[0, 1]  # error: ValueError: Incompatible vector size


@program(mat(3, 2))
def distances_of_other_columns(x):
    return distance.cdist(x, x[:, :1])[0, 0]  # error: ValueError: same number of columns


@program(mat(3, 2))
def distance_of_matrices(x):
    return distance.euclidean(x, x)  # error: UnsupportedError: should be 1-D


# ---- images ----
@program(vec(4))
def mode_of_filter(x):
    y = ndimage.uniform_filter1d(x, 3, mode="edge")  # error: UnsupportedError: 'edge' ... nearest
    return y[0]


@program(vec(4))
def origin_outside_of_the_weights(x):
    return ndimage.correlate1d(x, [1.0, 2.0], origin=1)[0]  # error: ValueError: Invalid origin


@program(vec(4))
def filter_of_integers(x):
    y = ndimage.laplace(np.arange(4))  # error: UnsupportedError: real floats ... .astype(float)
    return x[0] * y[0]


@program(mat(3, 2))
def widths_of_gaussian(x):
    y = ndimage.gaussian_filter(x, (1.0,))  # error: UnsupportedError: length equal to input rank
    return y[0, 0]


@program(vec(4))
def order_of_gaussian(x):
    return ndimage.gaussian_filter1d(x, 1.0, order=4)[0]  # error: UnsupportedError: orders 0 to 3


@program(mat(3, 2))
def several_modes_of_windows(x):
    y = ndimage.correlate(x, np.eye(2), mode=("wrap", "wrap"))  # error: UnsupportedError: sequence
    return y[0, 0]


@program(vec(4))
def method_of_convolution(x):
    return signal.convolve(x, x, method="slow")[0]  # error: UnsupportedError: method flags


@program(vec(4) + 1j)
def distances_of_complex_vectors(z):
    return distance.sqeuclidean(z, z * 2.0).real  # error: UnsupportedError: complex vectors


@program(vec(4) + 1j)
def cosine_transform_of_complex_numbers(z):
    return scipy.fft.dct(z)[0].real  # error: UnsupportedError: of complex numbers


@program(vec(3))
def routines_by_a_dtype(x):
    (potrf,) = (
        scipy.linalg.get_lapack_funcs(  # error: UnsupportedError: get_lapack_funcs with dtype=
            ("potrf",), dtype=np.float64
        )
    )
    return potrf(np.outer(x, x) + np.eye(3))[0][0, 0]
