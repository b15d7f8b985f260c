"""Tests of `srcgrad.autodiff` on IR built by hand, run by the reference backend."""
