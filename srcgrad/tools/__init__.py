"""What is run from a shell. Nothing in the package imports it."""
