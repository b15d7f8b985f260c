"""The page of `Compiled.annotate`: a program beside the user's source, line by line.

`facts` gathers what is true of a program: `located` the line of each statement, `sources` the
user's functions, `times` what is measured, `kept` what the reverse sweep needs of the forward
sweep, `loops` how loops run, `apart` what shares none. `panes` makes rows of texts, `tables` and
`page` HTML of all that. Nothing here changes what a call would build.
"""
