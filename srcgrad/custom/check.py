"""Checks derivatives that rules return against their primals: structure, shape, dtype."""

from __future__ import annotations

from typing import Any

from srcgrad.custom.trace import is_floating
from srcgrad.errors import Location, ReturnTypeError, ShapeError
from srcgrad.frontend.interpreter import Interpreter
from srcgrad.frontend.values import contrasted, describe, is_array, is_scalar, is_value, plain
from srcgrad.ir.build import shape_text
from srcgrad.ir.nodes import Atom, Var, atom
from srcgrad.ir.types import Array, Scalar, is_complex, is_float, np_dtype, same_dims
from srcgrad.tree import matched


class Checked:
    """Derivatives that a rule returns, checked against their primals."""

    def __init__(self, it: Interpreter, what: str, at: Location | None):
        self.it, self.what, self.at = it, what, at

    def leaves(self, given: Any, like: Any, name: str) -> list[Any]:
        """One entry for each leaf of `like`: a derivative, or None."""

        def at(path: tuple) -> str:
            return name + "".join(f"[{k!r}]" for k in path)

        def refuse(path: tuple, given: Any, like: Any) -> None:
            is_, wanted = contrasted(given, like)
            self.wrong(f"{self.what} for {at(path)} is {is_}, not {wanted}")

        pairs = matched(like, given, refuse)
        return [None if g is None else self.leaf(g, leaf, at(path)) for path, leaf, g in pairs]

    def leaf(self, g: Any, like: Any, name: str) -> Any:
        if not is_floating(like):
            self.wrong(
                f"{self.what} for {name}, which is {describe(like)}, has to be None: only floats "
                "have one"
            )  # fmt: skip
        if not is_value(g):
            self.wrong(f"{self.what} for {name} is {describe(g)}, not a number or an array")
        g, t = atom(g), atom(like).type
        if isinstance(t, Scalar) and is_array(g) and not g.type.dims:
            g = self.it.b.load(g)
        self.dtype(g, t, name)
        if isinstance(t, Scalar):
            if not is_scalar(plain(g)):
                self.shape(g, t, name)
            return self.it.b.cast(g, t)
        if not t.dims and is_scalar(plain(g)):
            return boxed(self.it, g, t)
        if not is_array(g) or len(g.type.dims) != len(t.dims):
            self.shape(g, t, name)
        for d, n in zip(g.type.dims, t.dims, strict=True):
            if isinstance(d, Var) or isinstance(n, Var):
                if d is not n:
                    text = f"{self.what} for {name} has another shape than what it belongs to"
                    self.it.b.loc = self.at
                    self.it.b.check_equal(d, n, message=text)
            elif d != n:
                self.shape(g, t, name)
        g = self.it.b.cast(g, Scalar(t.dtype))
        return self.it.b.reshape(g, *t.dims) if not same_dims(g.type.dims, t.dims) else g

    def dtype(self, g: Atom, t: Any, name: str) -> None:
        have, want = g.type.dtype, t.dtype
        if getattr(g.type, "weak", False) and not is_complex(have):
            return
        if is_float(have) and (is_complex(want) or not is_complex(have)):
            return  # float64 for float32 is rounded, as everywhere
        self.wrong(
            f"{self.what} for {name} has the dtype {np_dtype(have)}, not {np_dtype(want)}",
            "take the real part" if is_complex(have) else "convert it: .astype(float)",
        )

    def shape(self, g: Atom, t: Any, name: str) -> None:
        raise ShapeError(
            f"{self.what} for {name} has the shape {shape_of(g.type)}, not {shape_of(t)}", self.at,
            "None means zero",
        )  # fmt: skip

    def wrong(self, text: str, way_out: str = "None means zero") -> None:
        raise ReturnTypeError(text, self.at, way_out)


def shape_of(t: Any) -> str:
    return shape_text(getattr(t, "dims", ()))


def boxed(it: Interpreter, number: Any, type_: Array) -> Var:
    """Emits a 0-d array that holds a number; arithmetic turned such an array into a number."""
    made = it.b.zeros(dtype=type_.dtype, name="held")
    it.b.store(made, it.b.cast(number, Scalar(type_.dtype)))
    return made
