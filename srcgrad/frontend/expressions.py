"""Expressions: operators, choices, attributes, f-strings.

Static operands are computed at once; run-time ones become primitives.
"""

from __future__ import annotations

import operator
from typing import Any, NoReturn

import gast
import numpy as np

from srcgrad.frontend.casts import (
    DIVIDED_BY_NUMPY,
    across_signs,
    in_order_of_parts,
    of_python,
    operands_in_bounds,
    widened,
    widened_pair,
)
from srcgrad.frontend.comprehensions import list_of
from srcgrad.frontend.derived_instances import as_operands
from srcgrad.frontend.float_errors import check_float_division, check_float_power, is_python
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.kinds import promoted
from srcgrad.frontend.lists import extend, repeated
from srcgrad.frontend.maybe_none import present
from srcgrad.frontend.narrowing import by_kind
from srcgrad.frontend.number_classes import is_either, of_either, of_operands
from srcgrad.frontend.percent_texts import percent
from srcgrad.frontend.powers import to_power
from srcgrad.frontend.rank_zero import note_alias
from srcgrad.frontend.special_methods import SYMBOLS, in_field, negated, operated, type_name
from srcgrad.frontend.texts import formatted, literal, made_of, shown
from srcgrad.frontend.tracked_dicts import (
    as_set,
    is_constant,
    merged_dicts,
    refuse_counters,
    set_of_operator,
)
from srcgrad.frontend.values import (
    Closure,
    Formatted,
    GrownList,
    Iterated,
    MaybeNone,
    Partial,
    Range,
    View,
    describe,
    is_array,
    is_integer,
    is_number,
    is_scalar,
    is_value,
    plain,
)
from srcgrad.frontend.versions import error_text
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.rows import RowName

STATIC = {
    "Add": operator.add, "Sub": operator.sub, "Mult": operator.mul, "Div": operator.truediv,
    "FloorDiv": operator.floordiv, "Mod": operator.mod, "Pow": operator.pow,
    "MatMult": operator.matmul, "BitAnd": operator.and_, "BitOr": operator.or_,
    "BitXor": operator.xor, "LShift": operator.lshift, "RShift": operator.rshift,
}  # fmt: skip
PRIMITIVE: dict[str, RowName] = {
    "Add": "add", "Sub": "sub", "Mult": "mul", "Div": "div", "FloorDiv": "floordiv", "Mod": "mod",
    "BitAnd": "bit_and", "BitOr": "bit_or", "BitXor": "bit_xor", "LShift": "shift_left",
    "RShift": "shift_right",
}  # fmt: skip
OPERATORS = {
    "Add": "add", "Sub": "sub", "Mult": "mul", "Div": "truediv", "FloorDiv": "floordiv",
    "Mod": "mod", "Pow": "pow", "MatMult": "matmul", "BitAnd": "and", "BitOr": "or",
    "BitXor": "xor", "LShift": "lshift", "RShift": "rshift",
}  # fmt: skip
UNARY = {"USub": "neg", "UAdd": "pos", "Invert": "invert"}
DIVISIONS = ("Div", "FloorDiv", "Mod")
SHIFTS = ("LShift", "RShift")
BITWISE = ("BitAnd", "BitOr", "BitXor")  # Python's booleans have them too
SEQUENCES = list | tuple | GrownList | Range  # what NumPy makes arrays of


def refuse_expression(it: Interpreter, node: Node) -> NoReturn:
    kind = type(node).__name__
    it.refuse(node, f"{_SPELLED.get(kind, kind)} is not supported")


def of_constant(it: Interpreter, node: gast.Constant) -> Any:
    return node.value


def of_name(it: Interpreter, node: gast.Name) -> Any:
    return it.lookup(node.id, node)


def of_named_expr(it: Interpreter, node: gast.NamedExpr) -> Any:
    value = it.operand(node.value)
    it.assign(node.target, value)
    return value


def of_joined_str(it: Interpreter, node: gast.JoinedStr) -> Any:
    template, values = "", []
    for part in node.values:
        if isinstance(part, gast.Constant):
            template += literal(part.value)
            continue
        v = it.expression(part.value)
        spec = None if part.format_spec is None else it.expression(part.format_spec)
        try:
            text, own = formatted(*in_field(it, node, v, spec, part.conversion), part.conversion)
        except (TypeError, ValueError) as e:
            it.fails(e, node)
        template, values = template + text, [*values, *own]
    return made_of(template, values)


# ---- operators ----
def of_unary_op(it: Interpreter, node: gast.UnaryOp) -> Any:
    if isinstance(node.op, gast.Not):
        return it.condition(node)
    return unary(it, node.op, it.operand(node.operand), node)


@by_kind
def unary(it: Interpreter, op: Any, v: Any, node: Node) -> Any:
    out = negated(it, UNARY[type(op).__name__], v, node)
    if out is not NotImplemented:
        return out
    v = present(it, v, lambda: "bad operand type for unary -: 'NoneType'")
    if not isinstance(v, Var):
        ops = {"USub": operator.neg, "UAdd": operator.pos, "Invert": operator.invert}
        try:
            return ops[type(op).__name__](v)
        except TypeError:
            said = f"this operator is not defined for {describe(v)}"
            it.wrong(node, said, TypeError)
    arithmetic(it, v, node)
    match op:
        case gast.USub():
            return of_operands(it, plain(it.emit(node, "neg", widened(it, v))), v)
        case gast.Invert():
            return it.emit(node, "invert", widened(it, v))
    return positive(it, v, node)


def positive(it: Interpreter, v: Any, node: Node) -> Any:
    """`+v`: a copy of an array."""
    v = widened(it, v)
    if atom(v).type.dtype == "bool":
        it.refuse(node, "numpy boolean positive is not supported", like=TypeError)
    return it.b.copy(v) if is_array(v) else v


def of_bin_op(it: Interpreter, node: gast.BinOp) -> Any:
    left, right = it.operand(node.left), it.operand(node.right)
    return binary(it, node.op, left, right, node)


@by_kind
def binary(it: Interpreter, op: Any, a: Any, c: Any, node: Node) -> Any:
    name = type(op).__name__
    if isinstance(a, str | Formatted):
        text = _text(it, name, a, c, node)
        if text is not None:
            return text
    if isinstance(a, MaybeNone) or isinstance(c, MaybeNone):
        names = [type_name(None if isinstance(v, MaybeNone) else v) for v in (a, c)]
        kinds = " and ".join(f"'{n}'" for n in names)
        said = f"unsupported operand type(s) for {SYMBOLS[OPERATORS[name]]}: {kinds}"
        a, c = (present(it, v, lambda: said) for v in (a, c))
        return binary(it, op, a, c, node)
    methods = f"__{OPERATORS[name]}__", f"__r{OPERATORS[name]}__"
    a, c = as_operands(it, a, c, methods, node)
    for operate in (merged_dicts, operated):
        out = operate(it, OPERATORS[name], a, c, node)
        if out is not NotImplemented:
            return out
    if isinstance(a, View) or isinstance(c, View):
        a, c = (as_set(it, v, node) for v in (a, c))
    if isinstance(a, GrownList) or isinstance(c, GrownList):
        return _lists_binary(it, name, a, c, node)
    if name == "Mult" and any(isinstance(x, list) and is_integer(y) for x, y in ((a, c), (c, a))):
        return _sequence_binary(it, name, a, c, node)
    refuse_counters(it, node, a, c)
    if not isinstance(a, Var) and not isinstance(c, Var) and not makes_array(name, a, c):
        return _static_binary(it, name, a, c, node)
    if isinstance(a, SEQUENCES) or isinstance(c, SEQUENCES):
        return _sequence_binary(it, name, a, c, node)
    arithmetic(it, a, node)
    arithmetic(it, c, node)
    a, c = promoted(it, node, [a, c], name == "Div")
    if name == "MatMult":
        return it.call_numpy(np.matmul, [a, c], {}, node)
    if name == "Pow":
        power = of_operands(it, to_power(it, a, c, node), a, c)
        check_float_power(it, a, c, power)
        return power
    if name not in BITWISE:
        a, c = widened_pair(it, a, c)
    if name in ("FloorDiv", "Mod") or (name == "Div" and of_python(a) and of_python(c)):
        _check_divisor(it, STATIC[name], a, c)
    if name in DIVISIONS:
        check_float_division(it, a, c, STATIC[name])
    if name in SHIFTS and of_python(a) and of_python(c):
        it.fail_if(plain(it.b.lt(c, 0)), "ValueError", "negative shift count")
    if (
        name == "Sub"
        and "bool" in (atom(a).type.dtype, atom(c).type.dtype)
        and (atom(a).type.dtype == atom(c).type.dtype)
    ):
        reason, way_out = "numpy boolean subtract is not supported", "use ^ or logical_xor"
        it.refuse(node, reason, way_out, like=TypeError)
    made = it.emit(node, PRIMITIVE[name], a, c)
    return (of_either if name == "Div" else of_operands)(it, made, a, c)


def emit(
    it: Interpreter, node: Node, op: RowName, *args: Any, weak: bool | None = None, **params: Any
) -> Any:
    """Emits an elementwise primitive; dtypes that it does not take are refused at `node`."""
    try:
        if not params:
            for special in (across_signs, in_order_of_parts):
                if (result := special(it, it.b.table[op], args)) is not None:
                    return result
            args = operands_in_bounds(it, it.b.table[op], args)
        return plain(it.b(op, *args, weak=weak, **params))
    except TypeError as e:
        it.refuse(node, str(e), like=TypeError)


def _check_divisor(it: Interpreter, divided: Any, a: Any, c: Any) -> None:
    """Checks that no integer is divided by a zero integer, which raises in Python."""
    if all(is_scalar(v) and atom(v).type.dtype[0] in "iub" for v in (a, c)):
        zero = plain(it.b.eq(c, 0))
        own = of_python(a) and of_python(c)
        said = error_text(divided, 1, 0) if own else DIVIDED_BY_NUMPY
        it.fail_if(zero, "ZeroDivisionError", said)


def arithmetic(it: Interpreter, v: Any, node: Node) -> None:
    if v is None or isinstance(v, str | dict):
        it.wrong(node, f"arithmetic with {describe(v)} is not supported", TypeError)
    if not is_value(v):
        it.refuse(
            node, f"arithmetic with {describe(v)} is not supported",
            "make it an array with np.array(...)"
            if isinstance(v, list | tuple | GrownList)
            else "", like=TypeError,
        )  # fmt: skip


def _static_binary(it: Interpreter, name: str, a: Any, c: Any, node: Node) -> Any:
    for v in (a, c):
        if isinstance(v, Closure | Formatted | Iterated | Partial):
            it.refuse(node, f"arithmetic with {describe(v)} is not supported", like=TypeError)
    try:
        with np.errstate(all="ignore"):
            integers = isinstance(a, int) and isinstance(c, int)  # Python's: these raise
            caught = is_python(a) and is_python(c) and it.catches(ZeroDivisionError)
            raises = integers or caught
            if name == "Div" and is_number(a) and is_number(c) and c == 0 and not raises:
                return np.float64(a) / np.float64(c)
            made = STATIC[name](a, c)
            if isinstance(made, set) and all(map(is_constant, made)):
                return set_of_operator(it, a, made, node)
            return it.tracked_list(made, node) if isinstance(made, list) else made
    except TypeError as e:
        if isinstance(a, list | tuple | dict) or isinstance(c, list | tuple | dict):
            arithmetic(it, a if isinstance(a, list | tuple | dict) else c, node)
        it.fails(e, node)
    except (ZeroDivisionError, ValueError, OverflowError) as e:
        it.fails(e, node)


def _text(it: Interpreter, name: str, a: Any, c: Any, node: Node) -> Any:
    """Concatenation and `%` of texts; None if this is neither."""
    made: tuple[str, list] | None = None
    if name == "Add" and isinstance(c, str | Formatted):
        (one, values), (two, more) = shown(a), shown(c)
        made = one + two, [*values, *more]
    elif name == "Mod" and isinstance(a, str):
        try:
            made = percent(it, a, c, node)
        except (TypeError, ValueError) as e:
            it.fails(e, node)
    return None if made is None else made_of(*made)


def _lists_binary(it: Interpreter, name: str, a: Any, c: Any, node: Node) -> Any:
    """The operators of growing lists: `+` and `*`, and those of arrays."""
    if makes_array(name, a, c):
        return _sequence_binary(it, name, a, c, node)
    lists = list | GrownList
    if name == "Add" and isinstance(a, lists) and isinstance(c, lists):
        out = list_of(it, a, node)
        extend(it, out, c, node)
        return out
    if name == "Mult" and (is_integer(a) or is_integer(c)):
        return repeated(it, *((a, c) if isinstance(a, GrownList) else (c, a)), node)
    arithmetic(it, a, node)
    arithmetic(it, c, node)


def _sequence_binary(it: Interpreter, name: str, a: Any, c: Any, node: Node) -> Any:
    if name == "Mult" and (is_integer(a) or is_integer(c)):
        seq, times = (a, c) if isinstance(a, list | tuple) else (c, a)
        if isinstance(seq, list):
            return repeated(it, seq, times, node)
        return seq * it.static_int(times, node, "the number of repetitions")
    if makes_array(name, a, c):
        # a list next to an array or a number of NumPy's is converted, as NumPy does
        a, c = in_arrays(it, a, c, node)
        return binary(it, getattr(gast, name)(), a, c, node)
    it.refuse(
        node,
        f"this operator between {describe(a)} and {describe(c)} is not supported",
        like=TypeError,
    )


def makes_array(name: str, a: Any, c: Any) -> bool:
    """Whether an operator is NumPy's for two values: a list among them becomes an array.

    Python's `*` repeats a list, so a number of NumPy's does not multiply one.
    """
    if is_array(a) or is_array(c):
        return True
    listed = isinstance(a, SEQUENCES) != isinstance(c, SEQUENCES)
    return listed and (_of_numpy(a) or _of_numpy(c)) and name not in ("Mult", "MatMult")


def in_arrays(it: Interpreter, a: Any, c: Any, node: Node) -> list[Any]:
    """Two operands of an operator of NumPy's, with arrays for the sequences."""
    if any(is_either(it, v) for v in (a, c)) and not (is_array(a) or is_array(c)):
        it.refuse(
            node, "whether the number beside a sequence is Python's or NumPy's is not known",
            "make the sequence an array: np.array(...)",
        )  # fmt: skip
    return [
        it.call_numpy(np.array, [v], {}, node) if isinstance(v, SEQUENCES) else v for v in (a, c)
    ]


def _of_numpy(v: Any) -> bool:
    return not v.type.weak if isinstance(v, Var) and is_scalar(v) else isinstance(v, np.generic)


# ---- choices ----
def of_if_exp(it: Interpreter, node: gast.IfExp) -> Any:
    test = it.condition(node.test)
    chosen = it.branch(
        test, lambda: it.operand(node.body), lambda: it.operand(node.orelse), node,
        live_rest=True, several=True,
    )  # fmt: skip
    note_alias(it, chosen)
    return chosen


# ---- attributes ----
def of_attribute(it: Interpreter, node: gast.Attribute) -> Any:
    return it.attribute(it.operand(node.value), node.attr, node)


_SPELLED = {
    "Await": "'await'", "YieldFrom": "'yield from'",
    "SetComp": "a set comprehension",
}  # fmt: skip
