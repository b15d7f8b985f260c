"""The inverse of a short-time Fourier transform, against SciPy's."""

import numpy as np
import pytest
from scipy import signal

import srcgrad as flow

S = np.sin(0.7 * np.arange(32.0)) + 0.3 * np.cos(np.arange(32.0) ** 1.5)
SEVERAL = np.stack([S, S[::-1], S**2])
PROGRAMS = {
    "as it was": lambda x: signal.istft(signal.stft(x, nperseg=8)[2], nperseg=8),
    "all by default": lambda x: signal.istft(signal.stft(x, nperseg=8)[2]),
    "without a boundary": lambda x: signal.istft(
        signal.stft(x, nperseg=8, boundary=None)[2], nperseg=8, boundary=False
    ),
    "a window": lambda x: signal.istft(
        signal.stft(x, nperseg=8, window="hamming", noverlap=6)[2] ** 2, 10.0, "hamming",
        nperseg=8, noverlap=6,
    ),
    "weights": lambda x: signal.istft(
        signal.stft(x, nperseg=8)[2], window=np.arange(1.0, 9.0), nperseg=8
    ),
    "longer transforms": lambda x: signal.istft(
        signal.stft(x, nperseg=8, nfft=16)[2], nperseg=8, nfft=16
    ),
    "an odd length": lambda x: signal.istft(signal.stft(x, nperseg=7)[2], nperseg=7),
    "densities": lambda x: signal.istft(
        signal.stft(x, 5.0, nperseg=8, scaling="psd")[2], 5.0, nperseg=8, scaling="psd"
    ),
    "of both sides": lambda x: signal.istft(
        signal.stft(x + 0j, nperseg=8, return_onesided=False)[2], nperseg=8, input_onesided=False
    ),
    "other axes": lambda x: signal.istft(
        np.moveaxis(signal.stft(x, nperseg=8)[2], -1, 0), nperseg=8, time_axis=0, freq_axis=-1
    ),
}  # fmt: skip


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_derivatives(name, target):
    f = PROGRAMS[name]
    for x in (S, SEVERAL) if target == "python" else (S,):
        for got, want in zip(flow.compile(f, target=target)(x), f(x), strict=True):
            np.testing.assert_allclose(got, want, atol=1e-12)
            assert got.shape == want.shape and got.dtype == want.dtype

    def loss(x):
        return np.sum(np.abs(f(x)[1]) ** 3)

    flow.testing.gradcheck(loss, (S[:20],), target=target)


@pytest.mark.parametrize(
    "given",
    [{"noverlap": 8}, {"nfft": 4}, {"time_axis": 0, "freq_axis": 0}, {"scaling": "power"}],
)
def test_errors(given):
    def f(x):
        return signal.istft(signal.stft(x, nperseg=8)[2], nperseg=8, **given)[1]

    for call in (f, flow.compile(f, target="python")):
        with pytest.raises(ValueError):
            call(S)
