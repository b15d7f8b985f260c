"""Dispatch tables of the interpreter: the function for each AST node, and calls between parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from srcgrad import interrupts
from srcgrad.frontend import (
    attempts,
    calls,
    classes,
    comparisons,
    comprehensions,
    contexts,
    control_flow,
    displays,
    expressions,
    generators,
    growing,
    indexing,
    inlining,
    items_of_the_run,
    iteration,
    lists,
    local_classes,
    loops,
    outside,
    patterns,
    problems,
    repeated_calls,
    statements,
)
from srcgrad.frontend.handlers import (
    registration,  # noqa: F401 (registers them)
    ufunc_keywords,
)
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.narrowing import execute_each, of_one_kind, of_several_kinds
from srcgrad.frontend.recursive import activations, blocks
from srcgrad.frontend.yields import Asking

STATEMENTS: dict[type[Node], Callable[[Interpreter, Any], None]] = {
    gast.Match: patterns.do_match, gast.Pass: statements.do_pass, gast.Expr: statements.do_expr,
    gast.Assign: statements.do_assign, gast.AnnAssign: statements.do_ann_assign,
    gast.AugAssign: statements.do_aug_assign, gast.If: statements.do_if,
    gast.While: statements.do_while, gast.For: statements.do_for, gast.Break: statements.do_break,
    gast.Continue: statements.do_continue, gast.Return: statements.do_return,
    gast.FunctionDef: statements.do_function_def, gast.Nonlocal: statements.do_nonlocal,
    gast.Delete: statements.do_delete, gast.With: contexts.do_with,
    gast.Assert: statements.do_assert, gast.Raise: statements.do_raise,
    gast.Import: statements.do_import, gast.ImportFrom: statements.do_import_from,
    gast.Try: attempts.do_try, gast.ClassDef: local_classes.do_class_def,
    gast.Global: statements.do_global, blocks.Around: activations.around,
}  # fmt: skip
EXPRESSIONS: dict[type[Node], Callable[[Interpreter, Any], Any]] = {
    gast.Call: calls.of_call, gast.Lambda: inlining.of_lambda, gast.Compare: comparisons.of_compare,
    gast.BoolOp: comparisons.of_bool_op, gast.ListComp: comprehensions.of_list_comp,
    gast.GeneratorExp: comprehensions.of_generator_exp, gast.SetComp: comprehensions.of_set_comp,
    gast.DictComp: comprehensions.of_dict_comp, gast.Constant: expressions.of_constant,
    gast.Name: expressions.of_name, gast.NamedExpr: expressions.of_named_expr,
    gast.Tuple: displays.of_tuple, gast.List: displays.of_list, gast.Set: displays.of_set,
    gast.Dict: displays.of_dict, gast.JoinedStr: expressions.of_joined_str,
    gast.UnaryOp: expressions.of_unary_op, gast.BinOp: expressions.of_bin_op,
    gast.IfExp: expressions.of_if_exp, gast.Attribute: expressions.of_attribute,
    gast.Subscript: indexing.of_subscript, gast.Yield: generators.of_yield,
    Asking: generators.of_yield, blocks.Entered: activations.entered,
    blocks.Resumed: activations.resumed, blocks.Passed: activations.passed,
    blocks.Forgotten: activations.forgotten, blocks.Leaving: activations.leaving,
    blocks.Sequence: activations.sequence,
}  # fmt: skip


class StagedInterpreter(Interpreter):
    """Interprets Python source into typed IR: values known at compile time are computed."""

    def execute(self, node: Node) -> None:
        interrupts.answer()
        self.locate(node)
        if (value := of_several_kinds(self, node)) is not None:
            execute_each(self, node, value)
            return
        STATEMENTS.get(type(node), statements.refuse_statement)(self, node)

    def operand(self, node: Node) -> Any:
        """The value of an expression, which may have several kinds."""
        return EXPRESSIONS.get(type(node), expressions.refuse_expression)(self, node)

    def expression(self, node: Node) -> Any:
        """The value of an expression, of one kind."""
        return of_one_kind(self, self.operand(node), node)

    names_outside = outside.outside_of
    call = calls.call
    call_numpy = calls.call_numpy
    with_keywords = ufunc_keywords.with_keywords
    inlined = repeated_calls.inlined
    follow_library = inlining.follow_library
    handled = calls.handled
    attribute = classes.attribute
    parts_of = classes.parts_of
    compare = comparisons.compare
    known_text = comparisons.known_text
    truth = comparisons.truth
    condition = comparisons.condition
    collected = comprehensions.collected
    emit = expressions.emit
    block = control_flow.block
    branch = control_flow.branch
    read = indexing.read
    static_items = iteration.static_items
    fit_lists = lists.fit_lists
    grow = lists.grow
    grow_if_it_can = lists.grow_if_it_can
    grown_item = growing.grown_item
    grown_length = growing.grown_length
    grown_load = growing.grown_load
    set_grown = growing.set_grown
    new_list = growing.new_list
    append_grown = growing.append_grown
    grown_slice = growing.grown_slice
    list_of_key = lists.list_of_key
    list_place = lists.list_place
    item_of_the_run = items_of_the_run.item_of_the_run
    slice_of_the_run = items_of_the_run.slice_of_the_run
    set_length = growing.set_length
    static_key = lists.static_key
    tracked_list = lists.tracked_list
    loop = loops.loop
    recover = problems.recover
    assign = statements.assign
    augmented = statements.augmented
