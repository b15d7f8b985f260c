"""The transforms: what they accept, what they return, and how they explain it."""
