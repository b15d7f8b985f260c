"""The commands of `srcgrad`."""
