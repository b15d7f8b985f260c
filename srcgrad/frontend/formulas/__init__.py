"""Functions of NumPy and SciPy as NumPy programs: what the compiler follows in their stead."""
