"""`insert_grad_of`: statements that run in the reverse sweep, at the mirrored place.

The body of the `with` is followed as a function from an adjoint to an adjoint, placed between
the variable's earlier value and its later uses. The name is Tangent's (Google, 2017).
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from srcgrad.custom.check import Checked
from srcgrad.custom.trace import Call, Called, varies
from srcgrad.errors import AutogradError
from srcgrad.frontend.frame import scope_of
from srcgrad.frontend.handlers.registry import CONTEXTS
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.trees import own_statements
from srcgrad.frontend.values import Closure, describe, is_value
from srcgrad.ir.nodes import Var
from srcgrad.ir.types import float_type


class insert_grad_of:
    """Statements for the reverse sweep: `with insert_grad_of(x) as dx: ...` in a compiled function.

    Where a gradient is taken, the body runs when the reverse sweep comes to this place, with `dx`
    the adjoint from the later uses of `x`; the value of `dx` at the end is passed on instead. It
    may print, clip or scale; it reads other names as they are here, and names that it binds are its
    own. Without a gradient it does not run. Plain Python runs it with zeros for `dx`, to no effect.
    `x` is a name of a number or an array of floats that is not stored to afterwards.

    >>> import numpy as np
    >>> import srcgrad as flow
    >>> def loss(x):
    ...     y = x * x
    ...     with flow.insert_grad_of(y) as dy:
    ...         dy = np.clip(dy, -1.0, 1.0)
    ...     return np.sum(y ** 2)
    >>> flow.grad(loss)(np.array([0.5, 2.0]))
    array([0.5, 4. ])
    """

    def __init__(self, x: Any):
        self.x = x

    def __enter__(self) -> Any:
        if getattr(self.x, "requires_grad", False):
            raise AutogradError(
                "insert_grad_of is for compiled functions: on tensors it would have no effect",
                None,
                "use x.register_hook(lambda g: ...)",
            )
        return np.zeros_like(self.x)[()]

    def __exit__(self, *problem: Any) -> None:
        return None


class _Insertion(Call):
    """The variable, as a call that returns it, with the body for its rule."""

    def __init__(self, it: Interpreter, x: Any, node: Node):
        self.it, self.node, self.name = it, node, "insert_grad_of"
        self.what = "a variable after insert_grad_of"
        self.primals = self.leaves = self.inputs = [x]


def _inserted(it: Interpreter, node: Node, item: Any) -> None:
    call, target = item.context_expr, item.optional_vars
    name: Any = call.args[0] if len(call.args) == 1 and not call.keywords else None
    if not isinstance(name, gast.Name) or not isinstance(target, gast.Name):
        it.refuse(
            node, "insert_grad_of takes the name of a variable and gives its adjoint a name",
            "write: with insert_grad_of(x) as dx:",
        )  # fmt: skip
    for n in own_statements(node):
        if isinstance(n, gast.Return | gast.Yield | gast.Nonlocal):
            it.refuse(n, "the body of insert_grad_of runs in the reverse sweep: it cannot do this")
    x = it.expression(name)
    if not is_value(x) or (isinstance(x, Var) and not float_type(x.type)):
        it.refuse(name, f"'{name.id}' is {describe(x)}: it has no gradient")
    if not varies(x):
        return  # a number known when compiling

    def state(called: Called) -> None:
        (dx,) = given = [called.variable(x, "_bar")]
        body = Closure(_function(node, target.id), it.env, [], [], it.frame, "insert_grad_of")
        checked = Checked(it, "what the body of insert_grad_of leaves", it.b.loc)

        def run() -> list:
            return checked.leaves(it.call(body, [dx], {}, node), x, f"'{name.id}'")

        called.rule.loc = it.b.loc
        called.rule.pull = called.direction(given, 1, run)

    scope_of(it.frame, name.id)[name.id] = _Insertion(it, x, node).attach(x, (), state)


def _function(node: Any, name: str) -> Any:
    """The body of a `with` as a function from its target to its target."""
    made = getattr(node, "srcgrad_function", None)
    if made is None:
        value = gast.copy_location(gast.Name(name, gast.Load(), None, None), node.body[-1])
        last = gast.copy_location(gast.Return(value), node.body[-1])
        empty: list[Any] = []
        argument = gast.Name(name, gast.Param(), None, None)
        args = gast.arguments([argument], empty, None, empty, empty, None, empty)
        made = gast.FunctionDef("insert_grad_of", args, [*node.body, last], empty, None, None, [])
        node.srcgrad_function = gast.copy_location(made, node)
    return made


CONTEXTS[insert_grad_of] = _inserted
