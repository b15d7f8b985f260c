"""Programs that type checkers read; nothing here is run."""
