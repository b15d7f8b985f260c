"""What is run from a shell, and pictures of graphs. Nothing in the package imports it."""

from srcgrad.tools.drawing import graph

__all__ = ["graph"]
