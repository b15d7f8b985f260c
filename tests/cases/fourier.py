"""numpy.fft: lengths, axes, norms, real and complex input, frequencies; programs with them."""

import numpy as np

from tests.cases.complex_numbers import zmat, zvec
from tests.cases.registry import case, mat, vec


@case(zvec(8))
@case(zvec(7))
@case(zvec(1))
def complex_transform(z):
    y = np.fft.fft(z)
    return np.sum(np.abs(y) ** 3) + np.sum((y * np.fft.ifft(z)).imag)


@case(vec(8))
@case(vec(5))
@case(vec(2))
@case(vec(1))
def real_transform(x):
    y = np.fft.rfft(x)
    return np.sum(np.abs(y) ** 3) + np.sum(np.fft.fft(x).imag * x**2)


@case(zvec(5))
@case(zvec(4))
@case(zvec(2))
def to_real_numbers(z):
    return np.sum(np.fft.irfft(z) ** 3)


@case(zvec(5), 9)
@case(zvec(5), 6)
@case(zvec(3), 8)
@case(zvec(3), 1)
def lengths(z, n):
    y = np.fft.fft(z, n)
    w = np.fft.ifft(z, n=n) + np.fft.fft(z.real, n=4)[0]
    return np.sum((y * w).real) + np.sum(np.fft.irfft(z, n) ** 2) + np.fft.rfft(z.imag, n)[0].real


@case(zmat(3, 4))
def axes(z):
    y = np.fft.fft(z, axis=0) * np.fft.ifft(z, axis=1)
    w = np.fft.rfft(z.real, axis=0)
    return np.sum(y.real**2) + np.sum(np.abs(w) ** 2) + np.sum(np.fft.irfft(z, 5, axis=0) ** 3)


@case(zvec(6))
def norms(z):
    y = np.fft.fft(z, norm="ortho") + np.fft.ifft(z, norm="ortho") * 1j
    y += np.fft.fft(z, norm="forward") - np.fft.ifft(z, norm="forward")
    w = np.fft.rfft(z.real, norm="ortho") + np.fft.rfft(z.imag, norm="forward")
    v = np.fft.irfft(z, norm="ortho") - np.fft.irfft(z, norm="forward")
    return np.sum((y**2).imag) + np.sum(np.abs(w) ** 2) + np.sum(v**3)


@case(zvec(5), vec(6))
def hermitian(z, x):
    y = np.fft.ihfft(x, norm="ortho")
    return np.sum(np.fft.hfft(z) ** 2) + np.sum((y**2).imag) + np.sum(np.fft.hfft(z, 7) ** 3)


@case(zmat(3, 4))
def several_axes(z):
    y = np.fft.fft2(z) * np.fft.ifftn(z, norm="ortho")
    w = np.fft.fftn(z, (2, 5), axes=(0, 1)) + np.fft.ifft2(z, s=(2, 5), axes=(0, 1))
    return np.sum(y.real**2) + np.sum(np.abs(w) ** 2)


@case(mat(3, 4))
def several_axes_of_reals(x):
    y = np.fft.rfft2(x) + np.fft.rfftn(x, axes=(0, 1))
    return np.sum(np.abs(y) ** 3) + np.sum(np.fft.irfft2(y, s=(3, 4)) ** 2 * x)


@case(mat(4, 3))
def one_axis_twice(x):
    y = np.fft.rfft2(x, axes=(0, 0))
    return np.abs(y) ** 2 + np.fft.irfft2(y, axes=(0, 0))[:4] ** 3


@case(vec(24).reshape(2, 3, 4))
def three_axes(x):
    y = np.fft.fftn(x, axes=(0, 2))
    return np.sum(np.abs(y[:, 1]) ** 2) + np.sum(np.fft.irfftn(np.fft.rfftn(x)) ** 3)


@case(vec(5), 0.3)
def frequencies(x, d):
    y = np.abs(np.fft.fftshift(np.fft.fft(x))) ** 2
    f = np.fft.fftshift(np.fft.fftfreq(len(x), d))
    half = np.fft.rfftfreq(len(x), d=d)
    return np.sum(y * f**2) + np.sum(np.abs(np.fft.rfft(x)) * half)


@case(mat(3, 4))
def shifts(x):
    y = np.fft.ifftshift(x) * np.fft.fftshift(x, axes=1) + np.fft.ifftshift(x, axes=(0,))
    return np.sum(y * x)


@case(vec(16), vec(16, 1), 3)
def low_pass(x, target, cut):
    spectrum = np.fft.rfft(x)
    spectrum[cut:] = 0.0
    return np.mean((np.fft.irfft(spectrum, len(x)) - target) ** 2)


@case(vec(9), vec(4, 1))
def convolution_theorem(x, kernel):
    n = len(x) + len(kernel) - 1
    y = np.fft.irfft(np.fft.rfft(x, n) * np.fft.rfft(kernel, n), n)
    return np.sum((y - np.convolve(x, kernel) * 0.5) ** 3)


@case(vec(8), 0.05, 4, float32=False)  # the state becomes of double precision
def burgers_by_spectra(u, dt, steps):
    """A pseudo-spectral method with a filter, in a loop that stores."""
    k = 2.0 * np.pi * np.fft.fftfreq(len(u), 1.0 / len(u))
    history = np.zeros((steps, len(u)))
    for i in range(steps):
        spectrum = np.fft.fft(u)
        slope = np.fft.ifft(1j * k * spectrum).real
        smooth = np.fft.ifft(spectrum * np.exp(-0.01 * k**2 * dt)).real
        u = smooth - dt * u * slope
        history[i] = u
    return np.sum(history**2)


@case(mat(4, 4), mat(4, 4, 1))
def phase_retrieval(x, measured):
    return np.mean((np.abs(np.fft.fft2(x)) - measured) ** 2)


@case(vec(6), float32=False)
def split_step(x):
    """Schrödinger's equation in a harmonic potential: half kicks around a drift."""
    k = 2.0 * np.pi * np.fft.fftfreq(len(x))
    psi = x * np.exp(0.3j * x)
    kick = np.exp(-0.05j * np.arange(6.0) ** 2)
    for _ in range(2):
        psi = kick * np.fft.ifft(np.exp(-0.1j * k**2) * np.fft.fft(kick * psi))
    return np.sum(np.abs(psi) ** 2 * np.arange(6.0))
