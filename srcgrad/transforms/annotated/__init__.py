"""The page of `Compiled.annotate`: a program beside the user's source, line by line.

`facts` gathers what is true of a program, `kept` what its reverse sweep needs of its forward sweep,
`loops` how its loops run, `sources` the user's functions; `panes` makes rows of texts, `page` HTML
of all that. Nothing here changes what a call would build.
"""
