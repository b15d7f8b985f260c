"""Kernels of scientific computing as plain NumPy code, with nothing changed for srcgrad.

Each is written from its mathematical definition, as a scientist would, and differentiated as it
stands. The tables `KERNELS` say how to call them; `docs/kernels.md` lists them with their times.
"""

from examples.kernels import (
    dynamic_programs,
    equations,
    factorizations,
    finance,
    flows,
    networks,
    particles,
    products,
    signals,
    statistics,
    stencils,
    vision,
    weather,
)

FAMILIES = {
    module.__name__.rpartition(".")[2]: module.KERNELS
    for module in (
        stencils,
        flows,
        weather,
        products,
        factorizations,
        statistics,
        signals,
        networks,
        dynamic_programs,
        particles,
        equations,
        finance,
        vision,
    )
}
