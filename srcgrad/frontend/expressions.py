"""Expressions: operators, containers, choices, attributes, f-strings.

Static operands are computed at once; run-time ones become primitives.
"""

from __future__ import annotations

import operator
from typing import Any

import gast
import numpy as np

from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.kinds import Kind
from srcgrad.frontend.similar import methods_of, similar
from srcgrad.frontend.texts import formatted, literal, percent, shown
from srcgrad.frontend.values import (
    Bound,
    Closure,
    Formatted,
    GrownList,
    Iterated,
    Partial,
    Record,
    describe,
    is_array,
    is_integer,
    is_number,
    is_scalar,
    is_value,
    plain,
)
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import INT, Scalar

STATIC = {
    "Add": operator.add, "Sub": operator.sub, "Mult": operator.mul, "Div": operator.truediv,
    "FloorDiv": operator.floordiv, "Mod": operator.mod, "Pow": operator.pow,
    "MatMult": operator.matmul, "BitAnd": operator.and_, "BitOr": operator.or_,
    "BitXor": operator.xor, "LShift": operator.lshift, "RShift": operator.rshift,
}  # fmt: skip
PRIMITIVE = {
    "Add": "add", "Sub": "sub", "Mult": "mul", "Div": "div", "FloorDiv": "floordiv", "Mod": "mod",
    "BitAnd": "bit_and", "BitOr": "bit_or", "BitXor": "bit_xor", "LShift": "shift_left",
    "RShift": "shift_right",
}  # fmt: skip
OPERATORS = {
    "Add": "add", "Sub": "sub", "Mult": "mul", "Div": "truediv", "FloorDiv": "floordiv",
    "Mod": "mod", "Pow": "pow", "MatMult": "matmul", "BitAnd": "and", "BitOr": "or",
    "BitXor": "xor", "LShift": "lshift", "RShift": "rshift",
}  # fmt: skip
ATTRIBUTES = ("shape", "ndim", "size", "T", "dtype", "real", "flat")
LARGEST_POWER = 64  # integer exponents up to here are products


class Expressions(Interpreter):
    """Mixed into the interpreter."""

    def expression(self, node: Node) -> Any:
        method = getattr(self, f"_of_{type(node).__name__}", None)
        if method is None:
            self.refuse(
                node, f"{_SPELLED.get(type(node).__name__, type(node).__name__)} is not supported"
            )
        return method(node)

    def _of_Constant(self, node: gast.Constant) -> Any:
        return node.value

    def _of_Name(self, node: gast.Name) -> Any:
        return self.lookup(node.id, node)

    def _of_NamedExpr(self, node: gast.NamedExpr) -> Any:
        value = self.expression(node.value)
        self.assign(node.target, value)
        return value

    # ---- containers ----
    def elements(self, nodes: list[Any]) -> list[Any]:
        out: list[Any] = []
        for n in nodes:
            if isinstance(n, gast.Starred):
                out += self.static_items(self.expression(n.value), n)
            else:
                out.append(self.expression(n))
        return out

    def _of_Tuple(self, node: gast.Tuple) -> Any:
        return tuple(self.elements(node.elts))

    def _of_List(self, node: gast.List) -> Any:
        return self.tracked_list(self.elements(node.elts), node)

    def _of_Set(self, node: gast.Set) -> Any:
        return self.call(set, [tuple(self.elements(node.elts))], {}, node)

    def _of_Dict(self, node: gast.Dict) -> Any:
        out: dict = {}
        for k, v in zip(node.keys, node.values, strict=True):
            if k is None:
                out.update(self.expression(v))
                continue
            key = self.static_key(self.expression(k), k)
            out[key] = self.expression(v)
        return out

    def _of_JoinedStr(self, node: gast.JoinedStr) -> Any:
        template, values = "", []
        for part in node.values:
            if isinstance(part, gast.Constant):
                template += literal(part.value)
                continue
            v = self.expression(part.value)
            spec = None if part.format_spec is None else self.expression(part.format_spec)
            try:
                text, own = formatted(v, spec, part.conversion)
            except (TypeError, ValueError) as e:
                self.fails(e, node)
            template, values = template + text, [*values, *own]
        return Formatted(template, values) if values else template.format()

    # ---- operators ----
    def _of_UnaryOp(self, node: gast.UnaryOp) -> Any:
        v = self.expression(node.operand)
        if isinstance(node.op, gast.Not):
            return self.negate(self.truth(v, node.operand))
        if not isinstance(v, Var):
            ops = {"USub": operator.neg, "UAdd": operator.pos, "Invert": operator.invert}
            try:
                return ops[type(node.op).__name__](v)
            except TypeError:
                self.refuse(node, f"this operator is not defined for {describe(v)}", like=TypeError)
        self._arithmetic(v, node)
        match node.op:
            case gast.USub():
                return plain(self.b("neg", self.widened(v)))
            case gast.Invert():
                return plain(self.b("invert", v))
        return plain(self.b("copy", v)) if is_array(v) else self.widened(v)

    def _of_BinOp(self, node: gast.BinOp) -> Any:
        left, right = self.expression(node.left), self.expression(node.right)
        return self.binary(node.op, left, right, node)

    def binary(self, op: Any, a: Any, c: Any, node: Node) -> Any:
        name = type(op).__name__
        if isinstance(a, Record) or isinstance(c, Record):
            return self.record_operator(OPERATORS[name], a, c, node)
        if isinstance(a, str | Formatted):
            text = self._text(name, a, c, node)
            if text is not None:
                return text
        if isinstance(a, GrownList) or isinstance(c, GrownList):
            return self._lists_binary(name, a, c, node)
        if name == "Mult" and any(
            isinstance(x, list) and is_integer(y) for x, y in ((a, c), (c, a))
        ):
            return self._sequence_binary(name, a, c, node)
        if not isinstance(a, Var) and not isinstance(c, Var):
            return self._static_binary(name, a, c, node)
        if isinstance(a, list | tuple) or isinstance(c, list | tuple):
            return self._sequence_binary(name, a, c, node)
        self._arithmetic(a, node)
        self._arithmetic(c, node)
        if name == "MatMult":
            return self.call_numpy(np.matmul, [a, c], {}, node)
        if name == "Pow":
            return self.power(a, c, node)
        if name in ("FloorDiv", "Mod") or (name == "Div" and _of_python(a) and _of_python(c)):
            self._check_divisor(a, c)
        if name in ("Add", "Sub", "Mult"):
            a, c = self.widened_pair(a, c)
        if (
            name == "Sub"
            and "bool" in (atom(a).type.dtype, atom(c).type.dtype)
            and (atom(a).type.dtype == atom(c).type.dtype)
        ):
            self.refuse(
                node,
                "numpy boolean subtract is not supported",
                "use ^ or logical_xor",
                like=TypeError,
            )
        return self.emit(node, PRIMITIVE[name], a, c)

    def emit(self, node: Node, op: str, *args: Any, weak: bool | None = None, **params: Any) -> Any:
        """Emit an elementwise primitive; dtypes that it does not take are refused at `node`."""
        try:
            return plain(self.b(op, *args, weak=weak, **params))
        except TypeError as e:
            self.refuse(node, str(e), like=TypeError)

    def widened(self, v: Any) -> Any:
        """A run-time scalar bool as the int that arithmetic takes it for."""
        if isinstance(v, Var) and v.type == Scalar("bool"):
            return self.b.cast(v, INT)
        return v

    def widened_pair(self, a: Any, c: Any) -> tuple[Any, Any]:
        if is_array(a) or is_array(c):
            return a, c
        return self.widened(a), self.widened(c)

    def _check_divisor(self, a: Any, c: Any) -> None:
        """An integer divided by a zero integer raises, as in Python."""
        if is_integer(a) and is_integer(c):
            zero = plain(self.b("eq", c, 0))
            self.fail_if(zero, "ZeroDivisionError", "integer division or modulo by zero")

    def _arithmetic(self, v: Any, node: Node) -> None:
        if not is_value(v):
            self.refuse(
                node, f"arithmetic with {describe(v)} is not supported",
                "make it an array with np.array(...)"
                if isinstance(v, list | tuple | GrownList)
                else "", like=TypeError,
            )  # fmt: skip

    def _static_binary(self, name: str, a: Any, c: Any, node: Node) -> Any:
        for v in (a, c):
            if isinstance(v, Closure | Formatted | Iterated | Partial):
                self.refuse(node, f"arithmetic with {describe(v)} is not supported", like=TypeError)
        try:
            with np.errstate(all="ignore"):
                integers = isinstance(a, int) and isinstance(c, int)  # Python's: these raise
                if name == "Div" and is_number(a) and is_number(c) and c == 0 and not integers:
                    return np.float64(a) / np.float64(c)
                made = STATIC[name](a, c)
                return self.tracked_list(made, node) if isinstance(made, list) else made
        except TypeError as e:
            if isinstance(a, list | tuple | dict) or isinstance(c, list | tuple | dict):
                self._arithmetic(a if isinstance(a, list | tuple | dict) else c, node)
            self.fails(e, node)
        except (ZeroDivisionError, ValueError, OverflowError) as e:
            self.fails(e, node)

    def _text(self, name: str, a: Any, c: Any, node: Node) -> Any:
        """Texts put together, and `%`; None if this is neither."""
        made: tuple[str, list] | None = None
        if name == "Add" and isinstance(c, str | Formatted):
            (one, values), (two, more) = shown(a), shown(c)
            made = one + two, [*values, *more]
        elif name == "Mod" and isinstance(a, str):
            try:
                made = percent(a, c)
            except (TypeError, ValueError) as e:
                self.fails(e, node)
        if made is None:
            return None
        return Formatted(*made) if made[1] else made[0].format()

    def _lists_binary(self, name: str, a: Any, c: Any, node: Node) -> Any:
        """Operators of lists that grow: `+` and `*`, and those of arrays."""
        if is_array(a) or is_array(c):
            return self._sequence_binary(name, a, c, node)
        lists = list | GrownList
        if name == "Add" and isinstance(a, lists) and isinstance(c, lists):
            out = self.list_of(a, node)
            self.extend(out, c, node)
            return out
        if name == "Mult" and (is_integer(a) or is_integer(c)):
            return self.repeated(*((a, c) if isinstance(a, GrownList) else (c, a)), node)
        self._arithmetic(a, node)
        self._arithmetic(c, node)

    def _sequence_binary(self, name: str, a: Any, c: Any, node: Node) -> Any:
        if name == "Mult" and (is_integer(a) or is_integer(c)):
            seq, times = (a, c) if isinstance(a, list | tuple) else (c, a)
            if isinstance(seq, list):
                return self.repeated(seq, times, node)
            return seq * self.static_int(times, node, "the number of repetitions")
        if is_array(a) or is_array(c):
            # a list next to an array is converted, as NumPy does
            a, c = (v if is_array(v) else self.call_numpy(np.array, [v], {}, node) for v in (a, c))
            return self.binary(getattr(gast, name)(), a, c, node)
        self.refuse(
            node,
            f"this operator between {describe(a)} and {describe(c)} is not supported",
            like=TypeError,
        )

    def power(self, a: Any, n: Any, node: Node) -> Any:
        """`a ** n`: a product for small integer exponents, else pow."""
        a, n = self.widened_pair(a, n)
        if is_array(a) and a.type.dtype == "bool" and atom(n).type.dtype[0] in "bi":
            self.refuse(node, "NumPy's powers of booleans are small integers", "use .astype(int)")
        whole = is_number(n) and not isinstance(n, complex | bool) and float(n).is_integer()
        if whole and abs(n) <= LARGEST_POWER and isinstance(a, Var):
            k = int(float(n))  # type: ignore[arg-type]
            kind = atom(n).type.dtype
            if a.type.dtype[0] in "iub" and (kind[0] == "f" or k < 0):
                if k < 0 and kind[0] != "f":
                    self._negative_power(a, n)
                a = self.b.cast(a, Scalar("f64", weak=is_scalar(a) and a.type.weak))
            if k == 2:
                return self.emit(node, "mul", a, a)
            if k == 1:
                return self.emit(node, "copy", a) if is_array(a) else a
            return self.emit(node, "powi", a, n=k)
        self.check_power(a, n)
        return self.emit(node, "pow", a, n)

    def _negative_power(self, a: Any, n: Any) -> None:
        """An integer to a negative integer power: Python's is a float, NumPy's raises."""
        if _of_python(a) and _of_python(n):
            zero = plain(self.b("eq", a, 0))
            text = "0.0 cannot be raised to a negative power"
            self.fail_if(zero, "ZeroDivisionError", text)
        elif a.type.dtype != "bool":
            self.fail("ValueError", "Integers to negative integer powers are not allowed.")

    def check_power(self, a: Any, n: Any) -> None:
        """Raise where integers have a negative power: the result is one of integers."""
        if atom(a).type.dtype[0] not in "iub" or atom(n).type.dtype[0] not in "ib":
            return
        text = "Integers to negative integer powers are not allowed."
        if _of_python(a) and _of_python(n):
            text = "an integer to a negative power is a float: write float(n) ** k"
        negative = plain(self.b("lt", n, 0))
        if is_array(negative):
            axes = tuple(range(negative.type.ndim))
            negative = plain(self.b("any", negative, axes=axes))
        self.fail_if(negative, "ValueError", text)

    # ---- choices ----
    def _of_IfExp(self, node: gast.IfExp) -> Any:
        test = self.truth(self.expression(node.test), node.test)
        if isinstance(test, Var) and _none(node.body) != _none(node.orelse):
            self.refuse(node, "one side is None and the other is not")
        return self.branch(
            test, lambda: self.expression(node.body), lambda: self.expression(node.orelse), node,
            live_rest=True,
        )  # fmt: skip

    # ---- attributes ----
    def _of_Attribute(self, node: gast.Attribute) -> Any:
        return self.attribute(self.expression(node.value), node.attr, node)

    def array_attribute(self, v: Any, name: str, node: Node) -> Any:
        dims = v.type.dims if is_array(v) else ()
        match name:
            case "shape":
                return tuple(dims)
            case "ndim":
                return len(dims)
            case "size":
                return self.b.size(dims)
            case "mT" | "mH" if is_array(v) and self.kind_of(v) is not Kind.ARRAY:
                return self.call_numpy(np.swapaxes, [v, -2, -1], {}, node)
            case "T":
                return self.call_numpy(np.transpose, [v], {}, node)
            case "dtype":
                from srcgrad.ir.types import np_dtype

                return np_dtype(atom(v).type.dtype)
            case "_a":  # a tensor's array
                return v
            case "real" | "imag":
                from srcgrad.frontend.handlers.complexes import part

                return part(self, node, v, name)
            case "flat":
                flat = self.call_numpy(np.ravel, [v], {}, node)
                if is_array(v) and v.type.layout != "C":
                    self.stands_for_view(flat, v, ".flat of an array that is not contiguous", node)
                return flat
        known = self.method_of(v, name, node) is not None
        if not known and not any(callable(getattr(t, name, None)) for t in (np.ndarray, float)):
            self.refuse(
                node, f"{self.described(v)} has no attribute '{name}' in compiled code",
                similar(name, [*ATTRIBUTES, *methods_of("array")]),
                None if hasattr(np.ndarray, name) else AttributeError,
            )  # fmt: skip
        return Bound(v, name)


_SPELLED = {
    "Await": "'await'", "Yield": "'yield'", "YieldFrom": "'yield from'",
    "SetComp": "a set comprehension",
}  # fmt: skip


def _of_python(v: Any) -> bool:
    """Whether a number is Python's own: NumPy's are divided by zero without an exception."""
    return v.type.weak if isinstance(v, Var) and is_scalar(v) else type(v) is int


def _none(node: Any) -> bool:
    return isinstance(node, gast.Constant) and node.value is None
