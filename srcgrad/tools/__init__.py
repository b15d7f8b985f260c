"""Command-line tools, and pictures of graphs. Nothing in the package imports it."""

from srcgrad.tools.drawing import graph
from srcgrad.tracebacks import entered

__all__ = ["graph"]
globals().update(entered({n: globals()[n] for n in __all__}, __name__))
