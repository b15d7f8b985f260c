"""Command-line tools, and pictures of graphs. Nothing in the package imports it."""

from srcgrad.namespace import publish
from srcgrad.tools.drawing import graph

__all__ = ["graph"]
publish(globals())
