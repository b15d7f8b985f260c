"""Random draws: calls back to Python that all count: none is shared, moved, repeated or left out.

A draw gets the number of a generator (`tree.random_generators`) and fills one flat array. `words`
name what is drawn: an entry of `METHODS` first, then what that takes besides the operands. Draws of
standard distributions have no operands; others have no derivative by theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np

from srcgrad.operation import Stated
from srcgrad.primitives.callbacks import Raised, kept
from srcgrad.primitives.dtypes import Operand, dtype_of
from srcgrad.primitives.registry import nondiff
from srcgrad.tree.random_generators import made, seeded_by_chance, to_draw

Words = tuple[Any, ...]


def _standard(g: Any, out: np.ndarray, dims: tuple[int, ...], values: Any, name: str) -> None:
    """Numbers of a standard distribution, in the dtype of the result."""
    if hasattr(g, "bit_generator"):
        getattr(g, name)(dtype=out.dtype.type, out=out)
    else:
        out[...] = getattr(g, name)(out.size)


def _called(
    g: Any, out: np.ndarray, dims: tuple[int, ...], values: Any, name: str, *named: Any
) -> None:
    """Numbers by a method of NumPy's, with the parameters' values and keywords."""
    keywords = dict(zip(named[::2], named[1::2], strict=True))
    out[...] = np.reshape(getattr(g, name)(*values, size=dims, **keywords), -1)


def _vectors(g: Any, out: np.ndarray, dims: tuple[int, ...], values: Any, name: str) -> None:
    """Vectors by a method of NumPy's: the last axis is theirs."""
    out[...] = np.reshape(getattr(g, name)(*values, size=dims[:-1] or None), -1)


def _chosen(
    g: Any, out: np.ndarray, dims: tuple[int, ...], values: Any, replace: bool, *shuffle: bool
) -> None:
    """Places among so many, with probabilities if they are given."""
    n, p = values[0], values[1] if len(values) > 1 else None
    at_random = () if p is not None or not shuffle else shuffle
    given = (int(n), dims, replace, p)
    found = g.choice(*given, shuffle=at_random[0]) if at_random else g.choice(*given)
    out[...] = np.reshape(found, -1)


def _permuted(g: Any, out: np.ndarray, dims: tuple[int, ...], values: Any) -> None:
    """The numbers below the length of the result, in an order that is drawn."""
    out[...] = g.permutation(out.size)


def _one_by_one(
    g: Any, out: np.ndarray, dims: tuple[int, ...], values: Any, name: str, *known: Any
) -> None:
    """Numbers by a method that gives one at a time."""
    for k in range(out.size):
        out[k] = getattr(g, name)(*known, *map(_as_python, values))


def _seeded(g: Any, out: np.ndarray, dims: tuple[int, ...], values: Any, *seed: Any) -> None:
    """The generator begins anew."""
    g.seed(*seed, *map(_as_python, values))
    if seed == (None,):
        seeded_by_chance(g)


def _made(
    g: Any, out: np.ndarray, dims: tuple[int, ...], values: Any, name: str, *seed: Any
) -> None:
    """The number of a new generator."""
    maker = Random if name == "Random" else getattr(np.random, name)
    generator = maker(*seed, *map(_as_python, values))
    out[0] = made(seeded_by_chance(generator) if seed == (None,) else generator)


def _around(g: Any, out: np.ndarray, dims: tuple[int, ...], values: Any) -> None:
    """The number of a new generator around a source of bits."""
    out[0] = made(np.random.Generator(to_draw(int(values[0]))))


def _as_python(v: Any) -> Any:
    item: Any = getattr(v, "item", None)
    return item() if isinstance(v, np.generic) else v


METHODS: dict[str, Callable[..., None]] = {
    "standard": _standard,
    "called": _called,
    "vectors": _vectors,
    "chosen": _chosen,
    "permuted": _permuted,
    "one by one": _one_by_one,
    "seeded": _seeded,
    "made": _made,
    "around": _around,
}


def fill(
    words: Words, number: int, out: np.ndarray, dims: Sequence[int], values: Sequence[Operand]
) -> None:
    """Draws into a flat array."""
    given = [np.array(a) if isinstance(a, np.ndarray) else a for a in values]
    generator = to_draw(int(number)) if number else None
    METHODS[words[0]](generator, out, tuple(map(int, dims)), given, *words[1:])


def drawn(
    site: int, words: Words, number: int, out: np.ndarray, dims: Sequence[int],
    values: Sequence[Operand],
) -> bool:  # fmt: skip
    """`fill` for compiled code: an exception is saved for `callbacks.raised`."""
    return kept(site, lambda: fill(words, number, out, dims, values))


def never_raises(words: Words, rank: int, operands: int) -> bool:
    """Whether a draw of so many operands has no parameter that might be wrong."""
    return words[0] not in ("made", "around", "seeded") and operands == 2 + rank


def _draw(total: Any, number: Any, *rest: Any, words: Words, rank: int, dtype: str) -> np.ndarray:
    out = np.empty(int(total), dtype_of(dtype))
    try:
        fill(words, number, out, rest[:rank], rest[rank:])
    except BaseException as error:
        raise Raised(error) from None
    return out


def _draw_typing(b: Any, total: Any, *rest: Any, words: Words, rank: int, dtype: str) -> Stated:
    return dtype, b.dims((total,))


# operands: the size of the result, the number of the generator or 0, the dims, the parameters
draw = nondiff("draw", _draw, typing=_draw_typing, raises=True, decides=True, draws=True)
