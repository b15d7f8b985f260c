"""The cpu backend: lowered IR -> a module of plain loops -> `numba.njit`.

Names that hold throughout: a *site* is a statement that may raise, known to the generated code
by its number. Never changes what a program computes: passes do that. Loads Numba at the first
compilation only.
"""
