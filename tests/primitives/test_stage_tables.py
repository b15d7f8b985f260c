"""Facts about operations have one home: names of operations stay out of the stages."""

from srcgrad.autodiff.reverse.sweep import STORES
from srcgrad.primitives import REGISTRY, memory
from tests.primitives.name_tables import comparisons, tables

# these may only fall
TABLES = 22
COMPARISONS = 12


def test_tables_of_names():
    found = tables()
    assert len(found) <= TABLES, "\n".join(found)


def test_comparisons_of_names():
    found = comparisons()
    assert len(found) <= COMPARISONS, "\n".join(found)


def test_every_write_of_values_has_a_reverse():
    """One without is passed over by the reverse sweep, and what was stored has no adjoint."""
    of_references = {memory.reserve, memory.ref_put}
    assert set(STORES) == {p for p in REGISTRY.values() if p.writes} - of_references
