"""Measurements, outside the test run: nothing here is collected or asserts a time."""
