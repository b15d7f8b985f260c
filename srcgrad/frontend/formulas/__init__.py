"""Library functions as NumPy programs: followed like helpers of the user's, and run by NumPy too.

For functions that are simpler as a program than statement by statement through the builder. Static
arguments (functions, modes, axes) are known when one is followed. No derivative is defined here.
"""
