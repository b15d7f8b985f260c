"""The frontend on its own: what it makes of Python, held against Python."""
