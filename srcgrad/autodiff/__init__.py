"""Differentiation as a pass, IR to IR: rules run on IR values, activity, forward and reverse mode.

Names: `g` an adjoint, `t` a tangent, `x_bar` the adjoint of `x`, `x_dot` its tangent. Closed under
differentiation: emitted operations have rules too. Knows no backend, lowers nothing.
"""
