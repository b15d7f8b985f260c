"""Facts about operations have one home: names of operations stay out of the stages."""

from tests.primitives.name_tables import comparisons, tables

# these may only fall
TABLES = 36
COMPARISONS = 129


def test_tables_of_names():
    found = tables()
    assert len(found) <= TABLES, "\n".join(found)


def test_comparisons_of_names():
    found = comparisons()
    assert len(found) <= COMPARISONS, "\n".join(found)
