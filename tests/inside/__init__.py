"""Transforms called inside compiled functions."""
