"""The table of operations: what its rows say of themselves, and who else knows an operation."""
