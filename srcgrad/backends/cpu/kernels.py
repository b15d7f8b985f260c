"""What generated code calls besides operators: selection, checks, tapes, allocation.

Compiled once per machine (Numba's file cache) and inlined by LLVM. A call costs less compile time
than a branch at the place of use: twenty index checks as branches took 0.2 s more than as calls.
`site` is the number of a statement that may raise. Without Numba these are plain functions.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from srcgrad.backends.cpu.failure import Failure
from srcgrad.backends.cpu.fastmath import HELPERS
from srcgrad.primitives.callbacks import filled

try:
    from llvmlite.ir import FunctionType
    from numba import carray, njit, objmode, types  # type: ignore[attr-defined]
    from numba.extending import intrinsic
except ImportError:  # generated modules run without it, slowly
    from contextlib import nullcontext as objmode

    njit = None


def compiled(function, nogil=True, inlined=False):
    """A helper for generated code: compiled per types, kept on disk, inlined by LLVM.

    `inlined`: whatever LLVM thinks of its size.
    """
    if njit is None:
        return function
    options = {"cache": True, "error_model": "numpy", "nogil": nogil, "forceinline": inlined}
    return unliteral(njit(function, fastmath=HELPERS, **options))


def unliteral(dispatcher: Any) -> Any:
    """A dispatcher that other compiled code calls with types alone, not with literals."""
    resolve = dispatcher.get_call_template

    def without_literals(args, kws):
        # or Numba would compile a helper anew for each literal it is called with
        return resolve(tuple(map(types.unliteral, args)), kws)

    dispatcher.get_call_template = without_literals
    return dispatcher


# ---- selection: both sides are values, so a select vectorises ----
@compiled
def where(c, a, b):
    return a if c else b


@compiled
def maximum(a, b):
    """NumPy's: a NaN on either side wins."""
    return a if (a > b) | (a != a) else b


@compiled
def minimum(a, b):
    return a if (a < b) | (a != a) else b


@compiled
def absorb(g, p):
    """g * p, and 0 where g is 0 even if p is infinite."""
    return g * p if g != 0 else g


@compiled
def sigmoid(a):
    one = type(a)(1)
    return one / (one + math.exp(-a))


@compiled
def relu(a):
    """A NaN stays one."""
    return type(a)(0) if a <= 0 else a


@compiled
def sign(a):
    if a > 0:
        return type(a)(1)
    return type(a)(-1) if a < 0 else a + type(a)(0)


@compiled
def divide(a, b):
    """Of complex numbers: Numba raises where b is 0."""
    return a / b if b != 0 else complex(a.real / abs(b), a.imag / abs(b))


@compiled
def power(a, b):
    """Of complex numbers: of 0 Numba makes NaN unless the exponent is real."""
    return a if a == 0 and b.real > 0 else a**b


# ---- integers: what C leaves undefined is what NumPy makes of it ----
@compiled
def floordiv(a, b):
    return -a if b == -1 else a // b


@compiled
def remainder(a, b):
    """With the sign of `a`; 0 where b is 0."""
    rest = abs(a) % abs(b)
    return -rest if a < 0 else rest


@compiled
def shift_left(a, b):
    return a << b if 0 <= b < 64 else a - a


@compiled
def shift_right(a, b):
    return a >> b if 0 <= b < 64 else (a - a if a >= 0 else a - a - 1)


# ---- indices and lengths ----
@compiled
def index(site, i, n, axis):
    """The place of index `i` in an axis of length `n`."""
    place = i + n if i < 0 else i
    if not 0 <= place < n:
        raise Failure(site, i, n)
    return place


@compiled
def wrap(i, n):
    return i + n if i < 0 else i


@compiled
def slice_start(i, n, step):
    low, high = (0, n) if step > 0 else (-1, n - 1)
    if i < 0:
        return max(i + n, low)
    return min(i, high)


@compiled
def slice_stop(i, n, step):
    low, high = (0, n) if step > 0 else (-1, n - 1)
    if i < 0:
        return max(i + n, low)
    return min(i, high)


@compiled
def trips(site, start, stop, step):
    """len(range(start, stop, step))"""
    if step == 0:
        raise Failure(site, start, stop, step)
    if step > 0:
        return max((stop - start + step - 1) // step, 0)
    return max((start - stop - step - 1) // -step, 0)


@compiled
def span_stop(start, length, step, n):
    """The stop of a slice that visits `length` places: below 0 means before the first."""
    stop = start + length * step
    if length <= 0:
        return start
    return stop if stop >= 0 else -n - 1


@compiled
def broadcast_dim(a, b):
    return b if a == 1 else a


@compiled
def check_broadcast(site, a, b):
    for k in range(1, min(len(a), len(b)) + 1):
        m, n = a[len(a) - k], b[len(b) - k]
        if m != n and m != 1 and n != 1:
            raise Failure(site, a, b)


@compiled
def check_assign(site, a, b):
    for k in range(1, len(b) + 1):
        n = b[len(b) - k]
        m = a[len(a) - k] if k <= len(a) else 1
        if n != m and n != 1:
            raise Failure(site, a, b)


@compiled
def check_equal(site, a, b):
    if a != b:
        raise Failure(site, a, b)


@compiled
def check_range(site, first, last, n):
    if first <= last and last >= n:
        raise Failure(site, first, last, n)


@compiled
def fail(site, values):
    raise Failure(site, values)


@partial(compiled, nogil=False)
def show(message, values):
    """What the program prints: formatted by Python itself."""
    with objmode():
        print(message.format(*values), end="")


@partial(compiled, nogil=False)
def call_back(site, number, total, dims, operands, dtype):
    """The results of a function of the user's, which Python itself calls."""
    out, good = np.empty(total, dtype), np.zeros(1, np.bool_)
    with objmode():
        good[0] = filled(number, out, dims[1:], operands[1:])
    if not good[0]:
        raise Failure(site)
    return out


# ---- allocation ----
@compiled
def empty(site, dims, dtype):
    for n in dims:
        if n < 0:
            raise Failure(site, dims)
    return np.empty(dims, dtype)


@compiled
def zeros(site, dims, dtype):
    for n in dims:
        if n < 0:
            raise Failure(site, dims)
    return np.zeros(dims, dtype)


MOST_IN_WORKSPACE = 2.0**40  # elements


# ---- what is carved from a workspace (`workspace.py`): arrays that nobody owns ----
if njit is not None:

    @intrinsic
    def pointer(typingctx, words, start):
        """The address of a word; an array there costs no reference count.

        It goes through an empty piece of assembly: else LLVM sees that all that is carved is one
        object, and gives up where it would test at run time that two arrays do not overlap.
        """

        def codegen(context, builder, signature, args):
            array = context.make_array(signature.args[0])(context, builder, args[0])
            kind = context.get_value_type(out)
            address = builder.bitcast(builder.gep(array.data, [args[1]]), kind)
            return builder.asm(FunctionType(kind, [kind]), "", "=r,0", [address], False)

        out = types.voidptr
        return out(words, start), codegen

    def workspace_empty(site, work, dims, dtype):
        """An array of the workspace; its own memory if that is too small."""
        total = 1.0
        for n in dims:
            if n < 0:
                raise Failure(site, dims)
            total *= n
        if total > MOST_IN_WORKSPACE:  # the size in bytes may not fit an integer
            return np.empty(dims, dtype)
        start = work[0]
        out = carray(pointer(work, start), dims, dtype)  # type: ignore[call-arg]
        stop = start + (out.size * out.itemsize + 63) // 64 * 8
        work[0] = stop
        return out if stop <= work.size else np.empty(dims, dtype)

    # not inlined, it would hide the strides of the array, and loops over its views stay scalar
    workspace_empty = compiled(workspace_empty, inlined=True)

    @compiled
    def workspace_zeros(site, work, dims, dtype):
        out = workspace_empty(site, work, dims, dtype)
        out[...] = 0
        return out

    @compiled
    def workspace_tape(site, work, slot, n, dtype):
        """A tape that holds `n`, and what the tape of this slot came to before."""
        return workspace_empty(site, work, (max(n, work[slot], 1),), dtype)

else:

    def workspace_empty(site, work, dims, dtype):
        return empty(site, dims, dtype)

    def workspace_zeros(site, work, dims, dtype):
        return zeros(site, dims, dtype)

    def workspace_tape(site, work, slot, n, dtype):
        return empty(site, (max(n, 1),), dtype)


@compiled
def keep_size(work, slot, tape):
    """As large from the start the next time, in a workspace that has room for it."""
    if work is not None and tape.size > work[slot]:
        work[slot] = tape.size
        work[0] += (tape.size * tape.itemsize + 63) // 64 * 8


# ---- tapes: flat arrays; the name is bound anew when one grows ----
@compiled
def grow(tape, size):
    new = np.zeros(max(size, tape.size * 3 // 2), tape.dtype)
    new[: tape.size] = tape
    return new


@compiled
def tape_view(tape, start, size, dims):
    return tape[start : start + size].reshape(dims)


@compiled
def cell(x):
    """The first element as an array of rank 0 that shares its memory."""
    return np.lib.stride_tricks.as_strided(x, (), ())


# ---- references by position: a list whose first item only fixes its type ----
@compiled
def ref_put(references, position, reference):
    while len(references) <= position + 1:  # places that no path fills hold anything
        references.append(reference)
    references[position + 1] = reference
