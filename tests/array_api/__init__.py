"""Tests of `srcgrad.array_api`; those of the standard itself are run by `nox -s array_api`."""
