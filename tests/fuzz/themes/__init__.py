"""The wide vocabulary: themes of constructs, a few of which each wide program draws.

Tables only; nothing is run here.
"""
