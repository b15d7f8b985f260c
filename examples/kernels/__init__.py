"""Kernels of scientific computing as plain NumPy code, with nothing changed for srcgrad.

Each is written from its mathematical definition, as a scientist would, and differentiated without
changes. The tables `KERNELS` say how to call them; `docs/kernels.md` lists them with their times.
"""

from examples.kernels import (
    control,
    dynamic_programs,
    equations,
    factorizations,
    finance,
    flows,
    fluids,
    images,
    learning,
    networks,
    particles,
    plain_python,
    products,
    signals,
    statistics,
    stencils,
    structures,
    vision,
    weather,
)

FAMILIES = {
    module.__name__.rpartition(".")[2]: module.KERNELS
    for module in (
        stencils,
        flows,
        fluids,
        weather,
        products,
        factorizations,
        structures,
        statistics,
        learning,
        signals,
        images,
        networks,
        dynamic_programs,
        particles,
        equations,
        control,
        finance,
        vision,
        plain_python,
    )
}
