"""The transforms: what they accept, what they give back, and what is said about it."""
