"""Derivatives of functions of matrices, which programs compute by eigenvalues and vectors."""

from srcgrad.autodiff.spectral.decompositions import has_decompositions
from srcgrad.autodiff.spectral.recognise import with_matrix_functions

__all__ = ["has_decompositions", "with_matrix_functions"]
