"""Turns functions into programs: transforms, their specializations, and the choice of one."""
