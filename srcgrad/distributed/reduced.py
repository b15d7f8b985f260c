"""`Reduced`: a function that runs on each rank's rows and is added up over the ranks.

In a step that is like the one before it, the ranks exchange one message. Its last float is a flag:
a rank that has failed, or has other shapes, sets it, and all agree anew.
"""

from __future__ import annotations

import functools
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.distributed import tree_sums
from srcgrad.distributed.agreement import Offer, agreed, attempt, facts_of
from srcgrad.distributed.flat import Flat, taken_apart
from srcgrad.distributed.ranks import Group
from srcgrad.distributed.shares import bounds, common_rows, rows_of
from srcgrad.errors import ArgumentValueError, RankError
from srcgrad.protocols import held
from srcgrad.records import record


@record(frozen=True)
class Division:
    """How the work is divided: the divided arguments, what is done with results, the pieces."""

    batch: tuple[int, ...]
    mean: bool
    shares: bool  # arguments have this rank's rows only
    pieces: int  # the rows are cut into so many, whatever the number of ranks; 0: one for each


@record(frozen=True)
class Piece:
    """The result for some rows, taken apart."""

    rows: int
    arrays: list[np.ndarray]


@record(frozen=True)
class Computed:
    """The results of one rank; None for a piece without rows."""

    offer: Offer
    template: Any
    pieces: list[Piece | None]


@record()
class Agreed:
    """The common layout of the ranks, with the memory for it."""

    offer: Offer
    template: Any  # of a rank without rows: another's
    rows: int  # of all ranks
    flat: Flat


class Reduced:
    """A function of arrays that each rank computes for its rows, added up over the ranks.

    >>> import srcgrad as flow
    >>> isinstance(flow.distributed.grad(lambda x: x * x), flow.distributed.Reduced)
    True
    """

    def __init__(
        self, function: Callable[..., Any], original: Any, name: str, ranks: Group, how: Division
    ):
        self.function: Callable[..., Any] = function
        self.how: Division = how
        self._ranks, self._name = ranks, name
        if 0 < how.pieces < ranks.size:
            raise ArgumentValueError(
                f"the data is cut into {how.pieces} pieces, and there are {ranks.size} ranks", None,
                f"deterministic={ranks.size}: results are the same for one number of pieces",
            )  # fmt: skip
        self._runs = bounds(how.pieces, ranks.size)
        trees = [tree_sums.subtrees(run, (0, how.pieces)) for run in self._runs]
        self._trees = trees if how.pieces else [[(k, k + 1)] for k in range(ranks.size)]
        self._facts = functools.partial(facts_of, original, {"the options": f"{name}, {how}"})
        self._agreed: Agreed | None = None
        self.__name__: str = held(original, "__name__") or type(original).__name__
        functools.update_wrapper(self, original, updated=())

    def __repr__(self) -> str:
        return f"<{self._name} of {self.__name__} on rank {self._ranks.rank} of {self._ranks.size}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._added_up(lambda: self._computed(args, kwargs))

    def of_rows(self, rows: int, *args: Any) -> Any:
        """The sum or mean of a call that counts as so many rows; with 0 rows it is not made."""

        def compute() -> Computed:
            return self._offered([(rows, self.function(*args) if rows else None)], None)

        return self._added_up(compute)

    def _added_up(self, compute: Callable[[], Computed]) -> Any:
        mine, error = attempt(compute)
        if error is not None and self._ranks.exchanged:
            raise error  # the others may wait inside the function, and not for this exchange
        known = self._agreed
        if known is not None:
            fits = mine is not None and mine.offer == known.offer
            total = self._exchanged(known, mine if fits else None)
            if total[-1] == 0.0:
                return known.flat.result(total, known.template)
        self._agreed = known = self._agree(mine, error)
        return known.flat.result(self._exchanged(known, mine), known.template)

    # ---- this rank ----
    def _computed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Computed:
        how, ranks = self.how, self._ranks
        if not how.batch:
            return self._offered([(1, self.function(*args, **kwargs))], None)
        at = self._positions(len(args))
        n = common_rows([(f"argument {k}", args[k]) for k in at])
        if how.shares:
            cuts = [(0, n)]
        elif how.pieces:
            cuts = bounds(n, how.pieces)[slice(*self._runs[ranks.rank])]
        else:
            cuts = [bounds(n, ranks.size)[ranks.rank]]
        made = []
        for start, stop in cuts:
            given = [rows_of(a, start, stop) if k in at else a for k, a in enumerate(args)]
            empty = start == stop
            made.append((stop - start, None if empty else self.function(*given, **kwargs)))
        return self._offered(made, None if how.shares else n)

    def _positions(self, count: int) -> list[int]:
        at = [k + count if k < 0 else k for k in self.how.batch]
        if any(not 0 <= k < count for k in at):
            raise ArgumentValueError(
                f"batch={self.how.batch} of {self.__name__}(), which is called with {count} "
                "arguments by position"
            )
        return at

    def _offered(self, made: list[tuple[int, Any]], whole: int | None) -> Computed:
        pieces: list[Piece | None] = []
        template, numbers = None, None
        for rows, result in made:
            if not rows:
                pieces.append(None)
                continue
            template, forms, arrays = taken_apart(result, self._name)
            if numbers is not None and forms != numbers:
                raise ArgumentValueError(
                    f"{self.__name__}() has results of other shapes or dtypes for other rows"
                )
            numbers = forms
            pieces.append(Piece(rows, arrays))
        total = sum(rows for rows, _ in made)
        return Computed(Offer(numbers, total, whole), template, pieces)

    # ---- all ranks ----
    def _agree(self, mine: Computed | None, error: Exception | None) -> Agreed:
        offer = None if mine is None else mine.offer
        offers = agreed(self._ranks, self._facts(), offer, error)
        assert mine is not None
        numbers = next(o.numbers for o in offers if o.numbers is not None)
        template = mine.template
        if any(o.numbers is None for o in offers):
            root = next(k for k, o in enumerate(offers) if o.numbers is not None)
            template = self._template(mine, root)
        rows = len(self._trees[self._ranks.rank])
        return Agreed(mine.offer, template, sum(o.rows for o in offers), Flat(numbers, rows))

    def _template(self, mine: Computed, root: int) -> Any:
        """The structure of the result, for ranks without rows."""
        sent: bytes | str | None = None
        if self._ranks.rank == root:
            made, error = attempt(lambda: pickle.dumps(mine.template))
            sent = made if error is None else f"{type(error).__name__}: {error}"
        sent = self._ranks.of_root(sent, root)
        if not isinstance(sent, bytes):
            raise RankError(
                f"a rank has no rows, and the structure of the result cannot be sent to it: {sent}",
                None, "give each rank a row, or use classes of a module",
            )  # fmt: skip
        return mine.template if mine.offer.numbers is not None else pickle.loads(sent)

    def _exchanged(self, known: Agreed, mine: Computed | None) -> np.ndarray:
        """The sum over the ranks; without results of its own this one sends zeros and a flag."""
        flat, trees = known.flat, self._trees
        if mine is None:
            flat.rows[:] = 0.0
            flat.rows[:, -1] = 1.0
        elif self.how.pieces:
            self._add_pieces(known, mine)
        else:
            self._put(known, mine.pieces[0], 0)
        if not self.how.pieces:
            self._ranks.add_up(flat.rows[0])
            return flat.rows[0]
        every = self._ranks.rows(flat.rows, [len(t) for t in trees])
        order = [run for tree in trees for run in tree]
        sums = dict(zip(order, every, strict=True))
        return tree_sums.total((0, self.how.pieces), sums.get)

    def _add_pieces(self, known: Agreed, mine: Computed) -> None:
        """Adds up the pieces of each of this rank's subtrees."""
        first = self._runs[self._ranks.rank][0]
        one = Flat(known.flat.numbers, 1)

        def piece(run: tree_sums.Run) -> np.ndarray | None:
            if run[1] - run[0] > 1:
                return None
            self._put(known, mine.pieces[run[0] - first], 0, one)
            return one.rows[0].copy()

        for row, tree in zip(known.flat.rows, self._trees[self._ranks.rank], strict=True):
            row[:] = tree_sums.total(tree, piece)

    def _put(self, known: Agreed, piece: Piece | None, row: int, into: Flat | None = None) -> None:
        flat = known.flat if into is None else into
        if piece is None:
            flat.rows[row] = 0.0
        else:
            flat.put(row, piece.arrays, piece.rows / known.rows if self.how.mean else 1.0)
