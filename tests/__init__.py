"""The tests. `python -m pytest` runs the default set; `--full` adds the long ones."""
