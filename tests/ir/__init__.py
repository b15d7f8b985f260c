"""The IR: typing at construction, text and its parser, the checker, the reference backend."""
