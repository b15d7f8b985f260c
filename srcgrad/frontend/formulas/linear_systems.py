"""Linear systems of scipy.signal: their forms, responses in time and in frequency.

A response in frequency is computed from the form that the system is in, where SciPy finds poles
first: it is the same function, and has its derivatives where poles coincide too.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import interpolate, linalg, signal

from srcgrad.frontend.formulas import inverse_spectra, spectra  # noqa: F401 (register others)
from srcgrad.frontend.formulas.registry import known, made_inside, stands_for, unsupported
from srcgrad.frontend.formulas.system_forms import matrices, ss2tf


@made_inside("numbers: system.num, system.den")
class System:
    """A system in one form: "tf" (num, den), "zpk" (zeros, poles, gain) or "ss" (A, B, C, D).

    >>> w, h = System("tf", ([1.0], [1.0, 1.0])).freqresp([1.0])
    >>> h.tolist()
    [(0.5-0.5j)]
    """

    def __init__(self, form: str, parts: tuple, dt: Any = None):
        self.form = form
        self.dt = dt
        self.given = parts
        if form == "tf":
            parts = signal.normalize(*parts)
        elif form == "zpk":
            parts = (np.atleast_1d(parts[0]), np.atleast_1d(parts[1]), parts[2])
        else:
            parts = matrices(*parts)
        self.parts = parts

    # ---- parts ----
    def of(self, form: str, k: int) -> Any:
        if self.form != form:
            raise AttributeError("a system has the parts of its form: convert it")
        return self.parts[k]

    @property
    def num(self) -> Any:
        return self.of("tf", 0)

    @property
    def den(self) -> Any:
        return self.of("tf", 1)

    @property
    def zeros(self) -> Any:
        return self.parts[0] if self.form == "zpk" else self.to_zpk().parts[0]

    @property
    def poles(self) -> Any:
        return self.parts[1] if self.form == "zpk" else self.to_zpk().parts[1]

    @property
    def gain(self) -> Any:
        return self.of("zpk", 2)

    @property
    def A(self) -> Any:
        return self.of("ss", 0)

    @property
    def B(self) -> Any:
        return self.of("ss", 1)

    @property
    def C(self) -> Any:
        return self.of("ss", 2)

    @property
    def D(self) -> Any:
        return self.of("ss", 3)

    # ---- forms ----
    def to_ss(self) -> Any:
        if self.form == "ss":
            return self
        if self.form == "zpk":
            return self.to_tf().to_ss()
        return System("ss", signal.tf2ss(self.num, self.den), self.dt)

    def to_tf(self) -> Any:
        if self.form == "tf":
            return self
        if self.form == "zpk":
            return System("tf", signal.zpk2tf(*self.parts), self.dt)
        num, den = ss2tf(*self.parts)
        return System("tf", (num[0] if self.C.shape[0] == 1 else num, den), self.dt)

    def to_zpk(self) -> Any:
        if self.form == "zpk":
            return self
        system = self.to_tf()
        return System("zpk", signal.tf2zpk(system.num, system.den), self.dt)

    # ---- responses in frequency ----
    def at(self, s: Any) -> Any:
        """The transfer function from the first input to the only output."""
        if self.form == "tf":
            if np.ndim(self.num) == 2 and self.num.shape[0] != 1:
                raise ValueError("requires a SISO (single input, single output) system.")
            # of coefficients that are 0 as well: these have a derivative here
            num, den = self.given
            return np.polyval(np.ravel(num), s) / np.polyval(np.ravel(den), s)
        if self.form == "zpk":
            zeros, poles, gain = self.parts
            top = np.prod(s[..., None] - zeros, axis=-1)
            return gain * top / np.prod(s[..., None] - poles, axis=-1)
        if self.C.shape[0] != 1:
            raise ValueError("requires a SISO (single input, single output) system.")
        unit, first = np.eye(self.A.shape[0]), self.B[:, :1]  # SciPy takes the first input
        x = np.linalg.solve(s[..., None, None] * unit - self.A, first + 0j * s[..., None, None])
        return (self.C @ x)[..., 0, 0] + self.D[0, 0]

    def freqresp(self, w: Any = None, n: Any = 10000) -> tuple:
        if self.dt is not None:
            return discrete_response(self, w, n)
        if is_count(w):
            w, n = None, w
        if w is None:
            system = self.to_tf()
            w = signal.freqs(np.ravel(system.num), system.den, worN=n)[0]
        w = np.atleast_1d(w)
        return w, self.at(1j * w)

    def bode(self, w: Any = None, n: Any = 100) -> tuple:
        w, y = self.freqresp(w, n)
        size = 20.0 * np.log10(np.abs(y))
        if self.dt is not None:
            return w / self.dt, size, np.rad2deg(np.unwrap(np.angle(y)))
        return w, size, np.unwrap(np.arctan2(y.imag, y.real)) * 180.0 / math.pi

    # ---- responses in time ----
    def output(self, U: Any, T: Any, X0: Any = None) -> tuple:
        return simulated(self, U, T, X0, True) if self.dt is None else dlsim(self, U, T, X0)

    def step(self, X0: Any = None, T: Any = None, N: Any = None) -> tuple:
        if self.dt is not None:
            return dstep(self, X0, T, N)
        system = self.to_ss()
        T = times(system, T, N)
        T, y, _ = simulated(system, np.ones((len(T), system.B.shape[1])), T, X0, False)
        return T, y

    def impulse(self, X0: Any = None, T: Any = None, N: Any = None) -> tuple:
        if self.dt is not None:
            return dimpulse(self, X0, T, N)
        system = self.to_ss()
        if system.B.shape[1] != 1:
            # SciPy raises as well: its initial state has one column for each input
            raise NotImplementedError("the impulse response to several inputs")
        start = np.squeeze(system.B if X0 is None else system.B + X0)
        T, y, _ = simulated(system, None, times(system, T, N), start, False)
        return T, y


def times(system: Any, T: Any, n: Any) -> Any:
    """The times of a response, up to seven time constants of the slowest pole."""
    if T is not None:
        return np.asarray(T)
    slowest = np.min(np.abs(np.linalg.eigvals(system.A).real))
    slowest = np.where(slowest == 0.0, 1.0, slowest)
    return np.linspace(0.0, 7.0 / slowest, 100 if n is None else n)


def simulated(system: Any, U: Any, T: Any, X0: Any, interp: Any) -> tuple:
    """The response to inputs at evenly spaced times, held between them or along lines."""
    system = system.to_ss()
    A, B, C, D = system.A, system.B, system.C, system.D
    n, inputs = B.shape
    T = np.atleast_1d(T)
    if T.ndim != 1:
        raise ValueError("T must be a rank-1 array.")
    count = T.shape[0]
    if T[0] < 0:
        raise ValueError("Initial time must be nonnegative")
    if U is None:
        U = np.zeros((count, inputs))
    U = np.asarray(U)
    if U.ndim == 0:
        U = np.zeros((count, inputs)) if U == 0 else U.reshape(1)
    if U.ndim == 1:
        U = U[:, None]
    if U.shape[0] != count:
        raise ValueError("U must have the same number of rows as elements in T.")
    if U.shape[1] != inputs:
        raise ValueError("System does not define that many inputs.")
    x = np.zeros((count, n), dtype=np.result_type(A, np.float64))  # real, as the system is
    if X0 is not None:
        x[0] = linalg.expm(A * T[0]) @ np.broadcast_to(X0, (n,))
    if count > 1:
        dt = T[1] - T[0]
        if not np.allclose(np.diff(T), dt):
            raise ValueError("Time steps are not equally spaced.")
        blank = np.zeros((inputs, inputs))
        wide = np.concatenate((A * dt, B * dt), axis=1)
        if interp:
            wide = np.concatenate((wide, np.zeros((n, inputs))), axis=1)
            middle = np.concatenate((np.zeros((inputs, n)), blank, np.eye(inputs)), axis=1)
            low = np.zeros((inputs, n + 2 * inputs))
            e = linalg.expm(np.concatenate((wide, middle, low), axis=0))
            first, last = e[:n, n : n + inputs] - e[:n, n + inputs :], e[:n, n + inputs :]
        else:
            low = np.zeros((inputs, n + inputs))
            e = linalg.expm(np.concatenate((wide, low), axis=0))
            first, last = e[:n, n:], np.zeros((n, inputs))
        for i in range(1, count):
            x[i] = e[:n, :n] @ x[i - 1] + first @ U[i - 1] + last @ U[i]
    y = x @ C.T + U @ D.T
    return T, np.squeeze(y), np.squeeze(x)


# ---- functions of systems ----
def continuous(system: Any) -> Any:
    if isinstance(system, tuple | list):
        return lti(*system)
    if system.dt is not None:
        raise AttributeError("can only be used with continuous-time systems.")
    return system


def discrete(system: Any) -> Any:
    if isinstance(system, tuple | list):
        return dlti(*system[:-1], dt=system[-1])
    if system.dt is None:
        raise AttributeError("can only be used with discrete-time systems.")
    return system


FORMS = ("", "", "tf", "zpk", "ss")


@stands_for(signal.lti)
def lti(*system: Any) -> Any:
    if len(system) == 1:
        return system[0]
    if not 2 <= len(system) <= 4:
        raise ValueError("`system` needs to be an instance of `lti` or have 2, 3 or 4 arguments")
    return System(FORMS[len(system)], system)


@stands_for(signal.dlti)
def dlti(*system: Any, dt: Any = None) -> Any:
    if len(system) == 1:
        return system[0]
    return System(FORMS[len(system)], system, True if dt is None else dt)


@stands_for(signal.TransferFunction)
def of_tf(num: Any, den: Any, *, dt: Any = None) -> Any:
    return System("tf", (num, den), dt)


@stands_for(signal.ZerosPolesGain)
def of_zpk(zeros: Any, poles: Any, gain: Any, *, dt: Any = None) -> Any:
    return System("zpk", (zeros, poles, gain), dt)


@stands_for(signal.StateSpace)
def of_ss(A: Any, B: Any, C: Any, D: Any, *, dt: Any = None) -> Any:
    return System("ss", (A, B, C, D), dt)


@stands_for(signal.freqresp)
def freqresp(system: Any, w: Any = None, n: Any = 10000) -> tuple:
    return continuous(system).freqresp(w, n)


@stands_for(signal.bode)
def bode(system: Any, w: Any = None, n: Any = 100) -> tuple:
    return continuous(system).bode(w, n)


@stands_for(signal.lsim)
def lsim(system: Any, U: Any, T: Any, X0: Any = None, interp: Any = True) -> tuple:
    return simulated(continuous(system), U, T, X0, interp)


@stands_for(signal.step)
def step(system: Any, X0: Any = None, T: Any = None, N: Any = None) -> tuple:
    return continuous(system).step(X0, T, N)


@stands_for(signal.impulse)
def impulse(system: Any, X0: Any = None, T: Any = None, N: Any = None) -> tuple:
    return continuous(system).impulse(X0, T, N)


def is_count(w: Any) -> Any:
    """Whether the frequencies are an integer, which says how many there are.

    >>> is_count(3), is_count(3.0), is_count([3])
    (True, False, False)
    """
    return w is not None and np.ndim(w) == 0 and np.asarray(w).dtype.kind in "biu"


# ---- in discrete time ----
def discrete_response(system: Any, w: Any, n: Any) -> tuple:
    """The response at angles of a turn per sample; from 0 to half a turn if there are none."""
    if is_count(w):
        w, n = None, w
    if w is None:
        w = np.linspace(0.0, math.pi, n, endpoint=False)
    # in the dtype that the installed version gives them
    w = signal.freqz(np.ones(1), np.ones(1), worN=w)[0]
    return w, system.at(np.exp(1j * w))


@stands_for(signal.dfreqresp)
def dfreqresp(system: Any, w: Any = None, n: Any = 10000, whole: Any = False) -> tuple:
    if whole:
        return unsupported("dfreqresp with whole=True is not supported", "pass w")
    return discrete(system).freqresp(w, n)


@stands_for(signal.dbode)
def dbode(system: Any, w: Any = None, n: Any = 100) -> tuple:
    return discrete(system).bode(w, n)


@stands_for(signal.dlsim)
def dlsim(system: Any, u: Any, t: Any = None, x0: Any = None) -> tuple:
    """The response to inputs at the samples, or at other times between which they lie on lines."""
    given = discrete(system)
    system = given.to_ss()
    A, B, C, D = system.A, system.B, system.C, system.D
    u = np.asarray(u)
    u = u[:, None] if u.ndim == 1 else u
    if t is None:
        count = u.shape[0]
        stop = (count - 1) * system.dt
        tout = np.linspace(0.0, stop, count)
    else:
        t = np.asarray(t)
        if t.shape[0] < 2:
            # SciPy gives NaN for one time
            raise NotImplementedError("the response at less than two times")
        stop = t[-1]
        count = int(np.floor(stop / system.dt)) + 1
        tout = np.linspace(0.0, stop, count)
        u = interpolate.make_interp_spline(t, u, k=1)(tout)
    if count == 0:
        raise IndexError("index 0 is out of bounds for axis 0 with size 0")
    x = np.zeros((count, A.shape[0]))
    if x0 is not None:
        x[0] = x0
    for i in range(count - 1):
        x[i + 1] = A @ x[i] + B @ u[i]
    y = x @ C.T + u @ D.T
    return (tout, y, x) if given.form == "ss" else (tout, y)


def of_inputs(system: Any, x0: Any, t: Any, n: Any, only_first: bool) -> tuple:
    """The responses to a unit in each input in turn."""
    system = discrete(system)
    one, system = system.form != "ss", system.to_ss()
    n = 100 if n is None else n
    t = np.linspace(0.0, n * system.dt, n, endpoint=False) if t is None else np.asarray(t)
    inputs = 1 if one else known(system.B.shape[1])
    found = [dlsim(system, unit(t.shape[0], inputs, k, only_first), t, x0) for k in range(inputs)]
    return found[0][0], tuple([f[1] for f in found])


def unit(count: Any, inputs: Any, k: Any, only_first: bool) -> Any:
    """Inputs of which one is 1, at the first sample or at all."""
    u = np.zeros((count, inputs))
    if only_first:
        u[0, k] = 1.0
    else:
        u[:, k] = 1.0
    return u


@stands_for(signal.dimpulse)
def dimpulse(system: Any, x0: Any = None, t: Any = None, n: Any = None) -> tuple:
    return of_inputs(system, x0, t, n, True)


@stands_for(signal.dstep)
def dstep(system: Any, x0: Any = None, t: Any = None, n: Any = None) -> tuple:
    return of_inputs(system, x0, t, n, False)
