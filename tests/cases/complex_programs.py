"""Programs with complex numbers: transforms, contours, fractals, quantum states, circuits."""

import cmath
import math

import numpy as np
import scipy.linalg

from tests.cases.complex_numbers import zmat, zvec
from tests.cases.registry import case, mat, vec


@case(zvec(8), vec(8, 1))
@case(zvec(1), vec(1, 1))
def stockham_fft(z, weights):
    """Autosorting radix 2, from one buffer to the other and back."""
    x = z.copy()
    y = np.zeros_like(x)
    n = len(z)
    half = n // 2
    stride = 1
    while half >= 1:
        for p in range(half):
            w = cmath.exp(-2j * math.pi * p * stride / n)
            for q in range(stride):
                a = x[q + stride * p]
                b = x[q + stride * (p + half)]
                y[q + stride * 2 * p] = a + b
                y[q + stride * (2 * p + 1)] = (a - b) * w
        x, y = y, x
        half //= 2
        stride *= 2
    return np.sum(weights * np.abs(x) ** 2)


@case(0.3 + 0.1j, 1.5)
def contour_integral(pole, radius):
    """Cauchy's formula by the trapezoidal rule: the value of exp at the pole, twice."""
    n = 16
    total = 0j
    for k in range(n):
        step = cmath.rect(radius, 2.0 * math.pi * k / n)
        total += cmath.exp(step) / (step - pole) * step
    value = total / n
    return value.real + (value * value).imag


@case(vec(3), 0.4 - 0.2j)
def rational_function_on_a_circle(coefficients, pole):
    t = np.linspace(0.0, 2.0 * np.pi, 9)[:-1]
    z = np.exp(1j * t)
    y = np.polyval(coefficients, z) / (z - pole)
    return np.mean(np.abs(y) ** 2) + np.trapezoid(y.real, t)


@case(-0.4 + 0.58j, 0.1 + 0.05j, 12)
@case(0.9 + 0.6j, 0.3 + 0.1j, 12)
def mandelbrot(c, z, n):
    """Iteration with escape: the smooth count where it escapes, the size where it does not."""
    for k in range(n):
        if z.real * z.real + z.imag * z.imag > 16.0:
            return k + 1.0 - math.log(math.log(abs(z)))
        z = z * z + c
    return abs(z)


@case(zvec(3), 3)
def julia_set(z, n):
    """The same on an array: what has escaped stays."""
    c = -0.2 + 0.4j
    for _ in range(n):
        z = np.where(np.abs(z) < 2.0, z**2 + c, z)
    return np.sum(np.log(np.abs(z)))


@case(1.2 + 0.9j, 6)
def newton_for_a_root(z, n):
    for _ in range(n):
        z = z - (z**3 - 1.0) / (3.0 * z**2)
        if abs(z**3 - 1.0) < 1e-3:
            break
    return z.real - 2.0 * z.imag


@case(mat(3, 3), vec(3), 0.1)
def quantum_evolution(h, potential, dt):
    """Crank and Nicolson's steps of a state; the Hamiltonian is Hermitian."""
    energy = h + h.T + np.diag(potential) + 1j * (h - h.T)
    eye = np.eye(3)
    forward = eye - 0.5j * dt * energy
    back = eye + 0.5j * dt * energy
    psi = np.array([1.0, 0.5, -0.2]) / np.sqrt(1.29) + 0j
    for _ in range(3):
        psi = np.linalg.solve(back, forward @ psi)
    return np.vdot(psi, np.arange(3.0) * psi).real + abs(psi[0]) ** 2


@case(vec(4), vec(2, 1))
def quantum_gates(angles, phases):
    """Rotations of two qubits and a controlled phase; the expectation of an observable."""
    state = np.zeros(4, dtype=complex)
    state[0] = 1.0
    for layer in range(2):
        for qubit in range(2):
            t = 0.5 * angles[2 * layer + qubit]
            gate = np.array([[np.cos(t), -1j * np.sin(t)], [-1j * np.sin(t), np.cos(t)]])
            whole = np.kron(gate, np.eye(2)) if qubit == 0 else np.kron(np.eye(2), gate)
            state = whole @ state
        state[3] *= np.exp(1j * phases[layer])
    z = np.array([1.0, -1.0, -1.0, 1.0])
    return np.sum(z * (state * state.conj()).real) + np.vdot(state, state[::-1]).real


@case(1.3, 0.7, 0.4, zvec(5))
def circuit_impedance(resistance, inductance, capacity, measured):
    """A series circuit against measured impedances, in the logarithm of the ratio."""
    w = np.linspace(0.5, 3.0, 5)
    z = resistance + 1j * w * inductance + 1.0 / (1j * w * capacity)
    error = np.log(z / measured)
    return np.sum(error.real**2 + 0.5 * error.imag**2)


@case(vec(3), 0.8)
def ladder_network(parts, w):
    z = parts[0] + 0j
    for i in range(1, len(parts)):
        y = 1.0 / z + 1j * w * parts[i]
        z = 1.0 / y + parts[i] * 1j
    reflection = (z - 1.0) / (z + 1.0)
    return abs(reflection) + 20.0 * math.log10(abs(z))


def dft(x):
    n = len(x)
    k = np.arange(n)
    return np.exp(-2j * np.pi * np.outer(k, k) / n) @ x


@case(vec(7), vec(7, 1))
def low_pass_by_a_matrix(x, target):
    spectrum = dft(x)
    spectrum[3:5] = 0.0
    smooth = np.conj(dft(np.conj(spectrum))) / len(x)
    return np.sum((smooth.real - target) ** 2)


@case(zvec(3), zmat(6, 3, 1), vec(6, 2))
def wirtinger_flow(x, a, y):
    """Phase retrieval: intensities of linear measurements, and one step down by the known slope."""
    p = a @ x
    residual = np.abs(p) ** 2 - y
    step = np.conj(a.T) @ (residual * p) / len(y)
    return np.mean(residual**2) + np.linalg.norm(x - 0.05 * step)


@case(zmat(2, 3), zmat(3, 3, 1))
def beamforming(weights, signals):
    """The power of each beam after it is made to have unit response in one direction."""
    steering = np.exp(1j * np.pi * np.arange(3) * 0.3)
    total = 0.0
    for w in weights:
        w = w / np.vdot(w, steering).conjugate()
        power = np.vdot(w, signals @ np.conj(signals.T) @ w)
        total += power.real
    return np.log(total)


@case(vec(4), vec(4, 1))
def characteristic_function(x, t):
    """The distance of an empirical characteristic function to that of a normal distribution."""
    phi = np.mean(np.exp(1j * t[:, None] * x[None, :]), axis=1)
    return np.sum(np.abs(phi - np.exp(-0.5 * t**2 + 0.2j * t)) ** 2)


@case(vec(3), 0.7)
def damped_oscillator(coefficients, t):
    """Eigenvalues of a quadratic that may be complex; their sum is real."""
    b, c = coefficients[0], coefficients[1] + 2.0
    root = np.sqrt(b * b - 4.0 * c + 0j)
    first, second = (-b + root) / 2.0, (-b - root) / 2.0
    return (np.exp(first * t) + np.exp(second * t)).real * coefficients[2]


def rotated(z, angle):
    return z * np.exp(1j * angle)


@case(zvec(4), vec(4))
def helpers_and_closures(z, angles):
    def twice(w):
        return rotated(rotated(w, angles), 0.5)

    y = [twice(z), rotated(z.conj(), angles[0])]
    return sum(np.sum(v.real * v.imag) for v in y)


@case(zmat(4, 2), zvec(4))
@case(zmat(2, 4), zvec(2))
@case(zmat(3, 3), zvec(3))
def least_squares_of_complex_numbers(a, b):
    x, left, rank, s = np.linalg.lstsq(a, b, rcond=None)
    many = np.linalg.lstsq(a, np.stack((b, b * b), axis=1))[0]
    return np.sum(np.abs(x) ** 2 * rank) + np.sum(left) + s[0] + np.sum(many.real * many.imag)


@case(zmat(3, 2))
@case(zmat(2, 3))
def complex_pseudoinverses(a):
    stack = np.linalg.pinv(np.stack((a, a * 1j)))
    return np.sum(np.abs(np.linalg.pinv(a)) ** 2) + np.sum((stack[1] * stack[0]).imag)


@case(zmat(3, 3))
def complex_cholesky_factors(a):
    hermitian = a @ a.conj().T + np.eye(3)
    low, high = np.linalg.cholesky(hermitian), np.linalg.cholesky(hermitian, upper=True)
    return np.sum(np.abs(low) ** 3) + np.sum((high @ low).real) + low[2, 0].imag * high[0, 1].real


@case(zmat(3, 3))
def exponential_of_a_complex_matrix(a):
    return np.sum(np.abs(scipy.linalg.expm(a * 1j)) ** 2) + scipy.linalg.expm(a)[0, 1].imag
