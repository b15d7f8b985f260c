"""Derivatives that users state themselves, callbacks, and statements of the reverse sweep."""
