"""What the names of Python, math and NumPy mean in compiled code: one handler per function.

A handler takes (interpreter, node, *arguments) and emits IR. What has no row is refused by name.
"""
