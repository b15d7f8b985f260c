"""Handlers of the names of Python, math and NumPy in compiled code: one per function.

A handler takes (interpreter, node, *arguments) and emits IR. Other functions are refused by name.
"""
