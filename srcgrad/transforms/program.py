"""A program: an IR function, the sources of its parameters, and the template of its results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from srcgrad.errors import (
    ArgumentTypeError,
    LocatedWarning,
    SrcgradError,
    UnsupportedError,
    located,
    refusal,
)
from srcgrad.frontend.changed_captures import ContainerWrite, ListsWrite
from srcgrad.frontend.guards import Guard, Hidden, Path, Unchanged
from srcgrad.frontend.masked_constant import masked_constant
from srcgrad.frontend.outside import NameWrite
from srcgrad.frontend.returned import Choice
from srcgrad.frontend.texts import literal
from srcgrad.frontend.trace import Write
from srcgrad.frontend.values import Record
from srcgrad.ir.alias import alias_classes
from srcgrad.ir.clone import clone
from srcgrad.ir.nodes import Def, Function, If, Stmt, Var
from srcgrad.ir.types import Array, is_complex
from srcgrad.ir.walk import after_checks
from srcgrad.primitives import memory
from srcgrad.primitives.raising import name_of
from srcgrad.records import record
from srcgrad.transforms.call_lengths import Lengths
from srcgrad.tree import VALUE, Leaf, children, leaf_numbers, nodes, opened, placed, spelled

REAL_PART = "return its .real, its .imag or abs(z)**2"


@record(frozen=True)
class Program:
    """An IR function, the paths of its parameters and the template of its results."""

    function: Function
    inputs: tuple[tuple, ...]
    hidden: tuple[Hidden, ...]
    guards: tuple[Guard[Unchanged], ...]
    output: Any
    name: str
    # inputs that the user's function stores to, by path or captured name; preserved under
    # transforms, which store to copies: inputs that share such memory are still not differentiated
    stored: frozenset = frozenset()
    copied: frozenset = frozenset()  # those of which a transform inside stores to copies
    writes: tuple[Write, ...] = ()  # to containers among the arguments, by a plain call
    # to names and containers that are captured, by a plain call
    names: tuple[NameWrite | ContainerWrite | ListsWrite, ...] = ()
    refused: SrcgradError | None = None  # why a plain call is refused
    returned: Any = None  # the template of what a plain call returns, if that is another one
    changed: frozenset = frozenset()  # the paths of these, preserved under transforms
    # captured containers and whether they are changed; empty if none is, of all that is reached
    outer: tuple[tuple[Path, bool], ...] = ()
    origins: tuple[tuple[int, tuple], ...] = ()  # gradients among the results, and of what
    state: tuple[tuple[int, Any], ...] = ()  # results that Parameters are to hold afterwards
    zeros: tuple[LocatedWarning, ...] = ()  # issued when it has been built
    false_promise: UnsupportedError | None = None  # raised where loops run at once
    lengths: Lengths | None = None  # the calls it is for, by their equal lengths

    def refuse_calls(self, parallel: bool) -> None:
        """Raises the error of calls that are refused for all arguments."""
        if parallel and self.false_promise is not None:
            raise self.false_promise
        for each in (self, *self.names):
            if each.refused is not None:
                raise each.refused

    @property
    def written(self) -> set[int]:
        """The positions of parameters whose buffers the function stores to."""
        return _written(self.function)

    @property
    def order(self) -> tuple:
        """The sources of the parameters: paths of arguments, then captured values."""
        return (*self.inputs, *(h.var for h in self.hidden))

    def parameter(self, k: int) -> str:
        """The parameter at a position, in the user's notation."""
        if k < len(self.inputs):
            return spelled(self.inputs[k])
        h = self.hidden[k - len(self.inputs)]
        return getattr(h.parameter, "name", h.name)  # a plain tensor has no name

    @property
    def unshared(self) -> frozenset[int]:
        """The positions of parameters that must share no memory with others."""
        apart = self.stored | self.copied
        return frozenset(k for k, what in enumerate(self.order) if what in apart)


def values(hidden: tuple[Hidden, ...]) -> tuple[Hidden, ...]:
    """Treats Parameters as values under a transform: their gradients are requested by `weights`."""
    return tuple(h if h.parameter is None else replace(h, tensor=None) for h in hidden)


def _written(function: Function) -> set[int]:
    classes = alias_classes(function)
    return {
        k
        for k, p in enumerate(function.params)
        if isinstance(p.type, Array) and not classes.is_pure(p)
    }


def named_results(p: Program) -> list[int]:
    """The results that the template names; the others have no derivative."""
    return sorted({*leaf_numbers(p.output), *(k for k, _ in p.state)})


def of_results(function: Function, results: list[int]) -> Function:
    return replace(function, returns=tuple(function.returns[k] for k in results))


def pruned(p: Program) -> Program:
    """The program without the results that its template does not name."""
    results = named_results(p)
    numbers = {old: new for new, old in enumerate(results)}
    function = of_results(p.function, results)
    origins = tuple((numbers[k], path) for k, path in p.origins if k in numbers)
    state = tuple((numbers[k], w) for k, w in p.state)
    output = placed(p.output, lambda k: Leaf(numbers[k]))
    p = replace(p, returned=None, refused=None)
    return replace(p, function=function, output=output, origins=origins, state=state)


def certain(p: Program, several: bool = False, real: bool = False) -> Program:
    """The program that returns one kind of value; where it is of another kind, it is refused.

    An instance of a class of arrays is its array. With `several` kinds it may return any but None,
    and if `real` none that is complex where another one is not.
    """
    checks: list[Stmt] = []

    def of_one_kind(output: Any) -> Any:
        if isinstance(output, Choice) and not (several and _is_free(p, output, real)):
            first = _is_first(p, output)
            checks.append(_check(p, output, first))
            return of_one_kind(output.one if first else output.other)
        if isinstance(output, Record) and VALUE in output.fields:
            return of_one_kind(output.fields[VALUE])
        parts = children(output)
        return output if parts is None else opened(output, [of_one_kind(v) for v in parts])

    output = of_one_kind(p.output)
    if not checks and not any(isinstance(v, Record) and VALUE in v.fields for v in nodes(p.output)):
        return p
    body = (*p.function.body, *checks)
    made = p.function.with_body(body, p.function.returns)
    return pruned(replace(_without_writes(p), function=made, output=output))


def _is_free(p: Program, choice: Choice, real: bool) -> bool:
    """Whether either of two kinds may be returned by a program of several kinds."""
    if _is_nothing(choice.one) or _is_nothing(choice.other):
        return False
    return not real or _is_complex(p, choice.one) == _is_complex(p, choice.other)


def _is_nothing(output: Any) -> bool:
    """Whether a template is None or `np.ma.masked`, which have no derivative."""
    return output is None or masked_constant(output) is not None


def _is_complex(p: Program, output: Any) -> bool:
    """Whether a template holds complex numbers, on every path."""
    if isinstance(output, Choice):
        return _is_complex(p, output.one) and _is_complex(p, output.other)
    return any(is_complex(p.function.returns[k].type.dtype) for k in leaf_numbers(output))


def complex_choices(p: Program) -> Iterator[tuple[int, bool, frozenset[int]]]:
    """The complex results that are returned where a flag among the results has a value."""
    for node in nodes(p.output):
        if isinstance(node, Choice) and None not in (node.one, node.other):
            one, other = (_is_complex(p, v) for v in (node.one, node.other))
            if one != other:
                yield node.flag.k, one, frozenset(leaf_numbers(node.one if one else node.other))


def _is_first(p: Program, choice: Choice) -> bool:
    """Whether the first of two kinds is returned: an array beside a number, real by complex."""
    if _is_nothing(choice.other) or _is_nothing(choice.one):
        return _is_nothing(choice.other)
    complexes = [_is_complex(p, v) for v in (choice.one, choice.other)]
    if sum(complexes) == 1:
        return complexes[1]
    ranks = [
        isinstance(v, Leaf) and isinstance(t := p.function.returns[v.k].type, Array) and t.ndim > 0
        for v in (choice.one, choice.other)
    ]
    if sum(ranks) != 1:
        raise refusal(choice.said.format(), choice.loc)
    return ranks[0]


def _check(p: Program, choice: Choice, first: bool) -> If:
    """Raises where the flag of a choice does not select the kind that is returned."""
    excluded = choice.other if first else choice.one
    if excluded is not None and _is_complex(p, excluded):
        said = (
            f"{p.name}() returns a complex number here: derivatives are those of its real results"
        )
        kind, message = ArgumentTypeError, literal(located(said, None, REAL_PART))
    else:
        kind, message = UnsupportedError, choice.said
    params = {"kind": name_of(kind), "message": message}
    failing = (Def(None, memory.fail, (), params, choice.loc),)
    then, orelse = ((), failing) if first else (failing, ())
    return If(p.function.returns[choice.flag.k], then, orelse, (), (), (), choice.loc)


def persistent(p: Program, several: bool = False, real: bool = False) -> Program:
    """The program on copies; the final contents of copies of Parameters are further results."""
    p = _without_writes(certain(p, several, real))
    held = {
        k: h.parameter for k, h in enumerate(p.hidden, len(p.inputs)) if h.parameter is not None
    }
    places, first = sorted(p.written), len(p.function.returns)
    if not any(k in held for k in places):
        return on_copies(p)
    made = on_copies(p, True)
    returns = made.function.returns
    left = [(returns[first + i], held[k]) for i, k in enumerate(places) if k in held]
    function = replace(made.function, returns=(*returns[:first], *(a for a, _ in left)))
    state = tuple((first + n, w) for n, (_, w) in enumerate(left))
    return replace(made, function=function, state=(*p.state, *state))


def _without_writes(p: Program) -> Program:
    """The program without the changes of a plain call to the containers it was given."""
    own = p.returned is not None or p.refused is not None
    if not p.writes and not p.names and not own:
        return p
    returns = p.function.returns[: len(leaf_numbers(p.output))]
    function = p.function.with_body(p.function.body, returns)
    return replace(p, function=function, writes=(), names=(), returned=None, refused=None)


def protected(p: Program, several: bool = False) -> Program:
    """The program on copies of the parameters it stores to: a transform leaves arguments alone."""
    return on_copies(certain(p, several))


def on_copies(p: Program, contents: bool = False, writes: bool = False) -> Program:
    """The program on copies of the parameters it stores to, with results of all kinds.

    With `contents` it returns these copies too, after its results, in the order of the parameters.
    With `writes` it returns what a plain call writes back.
    """
    p = p if writes else _without_writes(p)
    written = p.written
    if not written:
        return p
    fn = clone(p.function)
    copies, params = [], list(fn.params)
    for k in sorted(written):
        inner = params[k]
        params[k] = Var(inner.name, replace(inner.type, layout=inner.type.layout))
        copies.append((k, inner))
    entry = [s for s in fn.body if isinstance(s, Def) and s.op is memory.dim]
    rest = [s for s in fn.body if not (isinstance(s, Def) and s.op is memory.dim)]
    outer = {inner: params[k] for k, inner in copies}
    entry = [
        replace(s, args=tuple(outer.get(a, a) if isinstance(a, Var) else a for a in s.args))
        for s in entry
    ]
    made = [Def(inner, memory.copy, (params[k],)) for k, inner in copies]
    for _, inner in copies:
        inner.type = replace(inner.type, layout="C")
    first = after_checks(tuple(rest))
    body = (*entry, *rest[:first], *made, *rest[first:])
    returns = (*fn.returns, *(inner for _, inner in copies)) if contents else fn.returns
    return replace(p, function=Function(fn.name, tuple(params), body, returns))
