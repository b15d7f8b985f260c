"""The package of generated modules; its files are in the cache folder.

Numba reloads a cached function by importing the module it was made in, so the name of that
module has to be importable. Holds no code of its own.
"""
