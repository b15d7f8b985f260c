"""The cpu backend: lowered IR -> LLVM IR -> machine code that Numba calls.

`emit` writes the IR and has it compiled, `text` prints the same program as Python for reading, the
other modules surround a call, or are the library that emitted code calls. A term used
throughout: a *site* is a statement that may raise, known to the emitted code by its number. Never
changes what a program computes: passes do that. Loads Numba at the first compilation only.
"""
