"""Tests on several ranks: `on_ranks` runs checks under mpiexec, and tests read their results."""
