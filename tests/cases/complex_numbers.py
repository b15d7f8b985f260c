"""Complex numbers: parts, arithmetic, functions, comparisons, joins with reals."""

import cmath

import numpy as np

from tests.cases.registry import case, mat, signed, vec


def zvec(n: int, seed: int = 0) -> np.ndarray:
    """n complex numbers away from the axes, where the branch cuts are."""
    return signed(n, seed) + 1j * signed(n, seed + 50)[::-1]


def zmat(rows: int, columns: int, seed: int = 0) -> np.ndarray:
    return zvec(rows * columns, seed).reshape(rows, columns)


Z = 0.7 - 0.4j
W = 1.1 + 0.3j


# ---- parts ----
@case(zvec(4))
def parts(z):
    return np.sum(z.real**2 * z.imag) + np.sum(np.real(z) * np.imag(z) * 3.0)


@case(zvec(4))
def conjugates(z):
    return np.sum((np.conj(z) * z * z.conj() + z.conjugate() ** 2).imag)


@case(Z)
def parts_of_a_number(z):
    return z.real * z.imag + (z * z.conjugate()).real + abs(z) * z.imag


@case(np.complex128(Z))
def parts_of_a_numpy_scalar(z):
    return z.real * z.imag + (z * z.conj()).real + np.abs(z)


@case(vec(3))
def parts_of_real_numbers(x):
    return np.sum(x.real * x.conj()) + np.sum(np.imag(x)) + np.sum(np.conj(x) * np.real(x))


@case(vec(3))
def conjugates_of_real_arrays(x):
    """The method gives the array itself, the function a new one."""
    y = x * 2.0
    y.conj()[0] = 3.0
    np.conj(y)[1:] *= 0.0
    return np.sum(y * x)


@case(zvec(4))
def magnitude_and_angle(z):
    return np.sum(np.abs(z) * np.angle(z)) + np.sum(np.absolute(z) ** 3)


@case(zvec(3))
def angle_in_degrees(z):
    return np.sum(np.angle(z, deg=True) * 0.01) + np.angle(z[0])


@case(np.array([0.0 + 0.0j, 3.0 - 4.0j]), expected=(np.array([0.0, 0.6 - 0.8j]),))
def magnitude_at_zero(z):
    return np.sum(np.abs(z))


@case(np.zeros(3, complex), expected=(np.zeros(3, complex),))
def norm_at_zero(z):
    return np.linalg.norm(z)


@case(zvec(3))
def questions(z):
    total = 0.0
    if np.iscomplexobj(z) and not np.isrealobj(z):
        total += np.sum(np.abs(z[np.iscomplex(z)]) ** 2)
    return total + np.sum(np.isreal(z.real) * z.real)


# ---- arithmetic ----
@case(zvec(4), zvec(4, 1))
def arithmetic(z, w):
    return np.sum((z * w + z / w - w * 2.5 + 1j * z - (3 - 2j) / z).real)


@case(Z, W)
def arithmetic_of_numbers(z, w):
    y = z * w - w / z + 2 * z - (1 + 2j) * w
    y += z
    y *= w
    return y.real + 2.0 * y.imag


@case(zvec(4))
def powers(z):
    return np.sum((z**2 + z**3 - z**-1 + z**-2 + z**0.5 + np.square(z)).imag)


@case(zvec(3), zvec(3, 2))
def powers_of_powers(z, w):
    return np.sum((z**w + np.power(z, 1.5 - 0.5j)).real)


@case(vec(3), Z)
def powers_of_reals(x, z):
    return np.sum((x**z + 2.0**z).real)


@case(zvec(4), vec(4))
def with_reals(z, x):
    y = x * z + z / x - x
    return np.sum(y.real * x + y.imag)


@case(2.5, Z)
def number_with_real(x, z):
    return (x * z + z / x + x).imag + (z - x).real


@case(vec(3), vec(3, 1))
def from_parts(re, im):
    z = re + 1j * im
    return np.sum((z**3).real) + np.sum(np.abs(z * np.exp(1j * re)))


@case(1.3, 0.4)
def from_two_numbers(a, b):
    z = complex(a, b)
    return abs(z) + (z * z).imag + complex(z, a).real + complex(b).real


@case(vec(3))
def cast_of_reals(x):
    z = x.astype(complex) * (1 + 2j) + np.asarray(x, dtype=np.complex128)
    return np.sum((z * z).imag) + np.complex128(x[0]).real


@case(zmat(3, 4), zvec(4, 1), Z)
def broadcasting(a, z, w):
    return np.sum((a * z + w * a - z[:3, None] * a[0]).real)


@case(mat(3, 4), zvec(4))
def broadcasting_of_reals(x, z):
    return np.sum((x * z).imag) + np.sum((z + x[:, :1]).real ** 2)


@case(Z, W)
def comparisons(z, w):
    if z != w and z != 2j:
        return abs(z) * w.imag
    return z.real


# ---- functions ----
@case(zvec(4))
def exponentials(z):
    return np.sum((np.exp(z) + np.exp2(z) + np.expm1(z)).real)


@case(zvec(4))
def logarithms(z):
    y = np.log(z) + np.log2(z) + np.log10(z) + np.log1p(z * 0.5) + np.sqrt(z)
    return np.sum(y.imag * y.real)


@case(zvec(4))
def circular(z):
    return np.sum((np.sin(z) * np.cos(z) + np.tan(z) - np.sinc(z)).imag)


@case(zvec(4))
def hyperbolic(z):
    return np.sum((np.sinh(z) * np.cosh(z) + np.tanh(z)).imag)


@case(zvec(4) * 0.6)
def inverse_functions(z):
    y = np.arcsin(z) + np.arccos(z) * 2.0 + np.arctan(z) + np.arcsinh(z) + np.arctanh(z)
    return np.sum((y * np.arccosh(z)).real)


@case(Z)
def functions_of_cmath(z):
    y = cmath.exp(z) + cmath.log(z) * cmath.sqrt(z) + cmath.sin(z) / cmath.cos(z) + cmath.tan(z)
    y += cmath.sinh(z) * cmath.cosh(z) - cmath.tanh(z) + cmath.log10(z) + cmath.log(z, 3.0)
    y += cmath.asin(z) + cmath.acos(z) - cmath.atan(z) + cmath.asinh(z) * cmath.acosh(z)
    y *= cmath.atanh(z)
    return y.real + y.imag * cmath.phase(z)


@case(Z, 1.2)
def polar_form(z, t):
    r, phi = cmath.polar(z)
    w = cmath.rect(r * t, phi + t)
    return w.real * w.imag + (0.0 if cmath.isnan(w) else 1.0) * cmath.sqrt(-t).imag


@case(zvec(4))
def functions_of_magnitudes(z):
    return np.sum(np.sqrt(np.abs(z)) * np.log(z.real**2 + z.imag**2))


# ---- names ----
@case(zvec(6))
def carried(z):
    s, p = 0j, 1.0 + 0j
    for v in z:
        p = p * v + s
        s += v * v.conjugate() - p
    return s.real + p.imag


@case(zvec(4), 3)
def list_of_numbers(z, n):
    kept = []
    for i in range(n):
        kept.append(z[i] * z[i + 1])
    total = 0j
    for v in kept:
        total += v**2
    return abs(total)


C = np.array([1.0 + 0.5j, -0.3j])
FACTOR = 0.2 + 0.7j


@case(zvec(2))
def captured(z):
    return np.sum((z * C * FACTOR).real) + (z[0] * FACTOR).imag


@case({"z": zvec(2), "w": Z, "n": 2})
def in_containers(p):
    return np.sum((p["z"] * p["w"]).real ** p["n"])


@case(zvec(4), vec(4))
def largest_and_smallest(z, x):
    w = np.round(z.real) + 1j * x
    both = np.array([z, z[::-1] * 1.5])
    order = np.argmax(both, axis=1)
    return x[np.argmax(w)] ** 2 * x[np.argmin(w)] + np.sum(x[order] ** 3) + x[z.argmin()]


@case(zvec(3), vec(3))
def without_nan(z, x):
    w = np.nan_to_num(z / x, nan=0.5, posinf=2.0, neginf=-2.0) * x
    return np.sum(w.real**2 + np.nan_to_num(z).imag)


@case(zvec(4), vec(4))
def compared_by_parts(z, x):
    w = np.round(z.real) + 1j * z.imag
    kept = np.where(w > w[::-1], z, x * z) + np.where(w <= 1.0, x, 2.0 * z)
    return np.sum(np.abs(kept) ** 2) + np.sum(x[np.greater_equal(x, w)]) * (w[0] < w[1])


OUTSIDE = np.array([-0.7, 0.4, 1.8])


@case(vec(3))
@case(OUTSIDE)
def functions_whose_result_may_be_complex(x):
    roots = np.emath.sqrt(x - 0.2) * np.emath.log(x)
    angles = np.emath.arccos(x) + np.emath.arcsin(x[0] * 2.0) * np.emath.power(x, 0.3)
    return np.sum(np.abs(roots) ** 2) + np.sum(np.real(angles * angles) - np.imag(angles))


@case(vec(2))
@case(OUTSIDE)
def roots_of_one_path(x):
    root = np.emath.sqrt(x[0])
    if np.iscomplexobj(root):
        return root.imag * x[1]
    return np.real(root) * x[1] ** 2


@case(Z, vec(2))
@case(-2.0 + 0.3j, vec(2))
def real_on_one_path(z, x):
    """A root tells a real number from a complex one with the same value."""
    v = z if z.real < 0.0 else -x[0]
    total = 0.0
    for k in range(2):
        total = total * z + x[k] * z
    return np.nan_to_num(np.abs(np.sqrt(v)), nan=x[1] ** 2) + np.abs(total)


@case(vec(4))
def sums_of_roots_that_are_real(x):
    total, product = 0.0, 1.0
    for v in x:
        total += np.emath.sqrt(v)
        product = product * np.emath.log(v + 1.0) + np.emath.sqrt(total + 1.0)
    return total * product


@case(vec(4) - 1.0)
def sums_of_roots_of_both_kinds(x):
    total = 0.0
    for k in range(x.shape[0]):
        total = total + np.emath.sqrt(x[k]) * (k + 1.0)
    return np.real(total) * np.abs(total) ** 2
