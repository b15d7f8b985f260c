"""Operations on whole arrays as Python programs that the compiler compiles for its targets.

A program stores its result in its first parameter; where there is none it leaves with a number:
LAPACK's, or one of `external`. Its arrays are matrices: a vector is one of one column, a number one
of one element. Indices are in bounds; nothing checks them.
"""
