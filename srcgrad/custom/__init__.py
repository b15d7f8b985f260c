"""User-defined derivatives, callbacks, and statements of the reverse sweep."""
