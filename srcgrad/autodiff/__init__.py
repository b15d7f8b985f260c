"""Differentiation as a pass, IR to IR: rules run on IR values, activity, forward and reverse mode.

Names: `g` an adjoint, `t` a tangent, `x_bar` the adjoint of `x`, `x_dot` its tangent. Closed under
itself: what is emitted has rules too. Never knows a backend, never lowers an array operation.
"""
