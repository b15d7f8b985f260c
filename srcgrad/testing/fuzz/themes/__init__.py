"""The wide vocabulary: themes of constructs, a few of which each wide program draws.

Complex numbers and Fourier transforms are a theme to come.  Tables only; nothing is run here.
"""
