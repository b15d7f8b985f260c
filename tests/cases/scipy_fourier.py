"""scipy.fft: the transforms of numpy.fft by SciPy's arguments, cosine transforms."""

import numpy as np
import scipy.fft
import scipy.fftpack

from tests.cases.complex_numbers import zmat, zvec
from tests.cases.registry import case, mat, vec


@case(zvec(5))
def along_one_axis(z):
    y = scipy.fft.fft(z, norm="ortho", overwrite_x=False) * scipy.fft.ifft(z, workers=1)
    half = scipy.fft.rfft(z.real, 6)
    back = scipy.fft.irfft(half, 5) + scipy.fft.hfft(z, 5)
    return np.sum(y.real**2) + np.sum(back**3) + np.sum(np.abs(scipy.fft.ihfft(back)) ** 2)


@case(zmat(3, 4))
def along_axes(z):
    y = scipy.fft.fft2(z) * scipy.fft.ifftn(z, norm="ortho") + scipy.fft.fftn(z, axes=0)
    w = scipy.fft.ifft2(z, s=(2, 5), axes=(0, 1))
    return np.sum(y.real**2) + np.sum(np.abs(w) ** 2) + np.sum(np.abs(scipy.fft.ifftn(z, s=3)))


@case(mat(3, 4))
def reals_along_axes(x):
    y = scipy.fft.rfft2(x) + scipy.fft.rfftn(x)
    return np.sum(scipy.fft.irfft2(y) ** 2 * x) + np.sum(scipy.fft.irfftn(y, s=(3, -1)) ** 3)


@case(zmat(3, 3))
def lengths_of_the_axes(z):
    """A length of -1 is that of the axis, where a transform to real numbers has another."""
    return np.sum(np.fft.irfftn(z, s=(-1, -1), axes=(0, 1)) ** 3)


@case(vec(5))
def order_of_frequencies(x):
    y = scipy.fft.fftshift(x**2) * scipy.fft.fftfreq(5, 0.2) + scipy.fft.ifftshift(x)
    return np.sum(y**2) + np.sum(x[:3] * scipy.fft.rfftfreq(5, d=0.3))


@case(vec(5), None)
@case(vec(6), "ortho")
@case(vec(1), "forward")
def cosine_transforms(x, norm):
    y = scipy.fft.dct(x, norm=norm) ** 2 + scipy.fft.idct(x, norm=norm)
    return y * scipy.fft.dct(x, 3, norm=norm) + scipy.fft.idct(y, type=3, norm=norm)


@case(mat(3, 4))
def compression(x):
    """The cosine transform of an image, without its highest frequencies."""
    y = scipy.fft.dctn(x, norm="ortho")
    y = np.where(np.arange(3)[:, None] + np.arange(4) < 4, y, 0.0)
    lengths = np.sum(scipy.fft.dct(x, n=6, axis=0) ** 2) + np.sum(scipy.fft.idct(x, n=2) ** 2)
    return np.sum((scipy.fft.idctn(y, norm="ortho") - x) ** 2) + 0.01 * lengths


@case(mat(3, 4))
def cosine_transforms_of_other_lengths(x):
    """Zeros are appended along an axis, or its end is cut off; -1 is the length that it has."""
    y = scipy.fft.dctn(x, s=(5,)) + scipy.fft.dctn(x, s=5, axes=-1)
    z = scipy.fft.idctn(x, 3, (2, -1), norm="ortho")
    w = scipy.fft.dctn(x, s=(x.shape[1], 2), axes=[0, 1])
    return np.sum(y**2) * 0.01 + np.sum(z**3) + np.sum(w**2) * 0.01


@case(mat(3, 4))
def packed_cosine_transforms(x):
    y = scipy.fftpack.dctn(x, norm="ortho") * scipy.fftpack.idctn(x, 3, axes=(0, 1))
    back = scipy.fftpack.idctn(scipy.fftpack.dctn(x)) / (24 * 8)
    return np.sum(y**2) + np.sum((back - x) ** 3) + np.sum(scipy.fftpack.dctn(x, 2, (2, 5)) ** 2)
