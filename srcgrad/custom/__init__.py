"""What users state themselves: derivatives, callbacks, statements of the reverse sweep."""
