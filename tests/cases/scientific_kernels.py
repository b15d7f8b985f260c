"""The kernels of `examples/kernels`, as they stand there, at their small sizes."""

from examples.kernels import FAMILIES
from examples.kernels.table import program
from tests.cases.registry import case

for _family, _kernels in FAMILIES.items():
    for _kernel in _kernels:
        case(
            *_kernel.inputs(*_kernel.small),
            wrt=_kernel.wrt,
            name=_kernel.fn.__name__,
            theme=f"kernels.{_family}",
        )(program(_kernel))
