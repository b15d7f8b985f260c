"""Functions to programs: the transforms, their specializations, and how a call finds one."""
