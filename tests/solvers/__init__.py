"""Differential equations, roots and fixed points, with derivatives."""
