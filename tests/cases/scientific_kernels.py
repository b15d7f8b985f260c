"""The kernels of `examples/kernels`, as they stand there, at their small sizes."""

from typing import Any

from examples.kernels import FAMILIES
from examples.kernels.table import program
from tests.cases.registry import case

# What a kernel is not asked for, and why.
OPTIONS: dict[str, dict[str, Any]] = {
    # beside float32 arguments their float64 arrays make a name of the loop change its dtype, which
    # is refused: whether NumPy gives float32 or float64 depends on the number of trips
    "kalman_filter": {"float32": False},
    "total_variation_denoise": {"float32": False},
    "runge_kutta_45": {"float32": False},
    "stable_fluids": {"float32": False},
    "newton_logistic": {"float32": False},
    "rts_smoother": {"float32": False},
    # its tolerance is below the rounding of float32: it would not end
    "kepler": {"float32": False},
    # a Jacobian by differences of 1e-4 has no more than four digits there
    "inverse_kinematics": {"float32": False},
    # its border is infinite, and so are tangents of quotients there: times exp(-inf) they are NaN
    "soft_dtw": {"dot": False, "second_order": False},
}

for _kernel in (k for kernels in FAMILIES.values() for k in kernels):
    case(
        *_kernel.inputs(*_kernel.small),
        wrt=_kernel.wrt,
        name=_kernel.fn.__name__,
        theme="scientific_kernels",
        **OPTIONS.get(_kernel.fn.__name__, {}),
    )(program(_kernel))
