"""Examples of functions that are made from other functions, for their docstrings."""

from __future__ import annotations

# the call, and what it gives
EXAMPLES: dict[str, tuple[str, str]] = {
    "add": ("add(xp.asarray([1, 2]), xp.asarray([0.5]))", "tensor([1.5000, 2.5000], float64)"),
    "atan2": ("atan2(xp.asarray([0.0, 1.0]), 1.0)", "tensor([0.0000, 0.7854], float32)"),
    "bitwise_and": ("bitwise_and(xp.asarray([5, 6]), 3)", "tensor([1, 2], int64)"),
    "bitwise_left_shift": (
        "bitwise_left_shift(xp.asarray([1, 2]), 3)", "tensor([ 8, 16], int64)",
    ),
    "bitwise_or": ("bitwise_or(xp.asarray([5, 6]), 3)", "tensor([7, 7], int64)"),
    "bitwise_right_shift": (
        "bitwise_right_shift(xp.asarray([8, 9]), 2)", "tensor([2, 2], int64)",
    ),
    "bitwise_xor": ("bitwise_xor(xp.asarray([5, 6]), 3)", "tensor([6, 5], int64)"),
    "copysign": ("copysign(xp.asarray([1.0, 2.0]), -0.0)", "tensor([-1., -2.], float32)"),
    "divide": ("divide(xp.asarray([1.0, 2.0]), 4.0)", "tensor([0.2500, 0.5000], float32)"),
    "equal": ("equal(xp.asarray([1, 2]), 2)", "tensor([False,  True], bool)"),
    "floor_divide": ("floor_divide(xp.asarray([7.0, -7.0]), 2.0)", "tensor([ 3., -4.], float32)"),
    "greater": ("greater(xp.asarray([2, 3]), 2)", "tensor([False,  True], bool)"),
    "greater_equal": ("greater_equal(xp.asarray([1, 2]), 2)", "tensor([False,  True], bool)"),
    "hypot": ("hypot(xp.asarray([3.0, 5.0]), 4.0)", "tensor([5.0000, 6.4031], float32)"),
    "less": ("less(xp.asarray([1, 2]), 2)", "tensor([ True, False], bool)"),
    "less_equal": ("less_equal(xp.asarray([2, 3]), 2)", "tensor([ True, False], bool)"),
    "logaddexp": ("logaddexp(xp.asarray([1000.0]), 1000.0)", "tensor([1000.6932], float32)"),
    "logical_and": (
        "logical_and(xp.asarray([True, False]), True)", "tensor([ True, False], bool)",
    ),
    "logical_or": ("logical_or(xp.asarray([True, False]), False)", "tensor([ True, False], bool)"),
    "logical_xor": (
        "logical_xor(xp.asarray([True, False]), True)", "tensor([False,  True], bool)",
    ),
    "maximum": ("maximum(xp.asarray([1.0, 5.0]), 3.0)", "tensor([3., 5.], float32)"),
    "minimum": ("minimum(xp.asarray([1.0, 5.0]), 3.0)", "tensor([1., 3.], float32)"),
    "multiply": ("multiply(xp.asarray([1.0, 2.0]), 3.0)", "tensor([3., 6.], float32)"),
    "not_equal": ("not_equal(xp.asarray([1, 2]), 2)", "tensor([ True, False], bool)"),
    "pow": ("pow(xp.asarray([2.0, 3.0]), 2.0)", "tensor([4., 9.], float32)"),
    "remainder": ("remainder(xp.asarray([7.0, -7.0]), 3.0)", "tensor([1., 2.], float32)"),
    "subtract": ("subtract(xp.asarray([1.0, 2.0]), 3.0)", "tensor([-2., -1.], float32)"),
    "empty": ("empty((2, 3)).shape", "srcgrad.Size([2, 3])"),
    "ones": ("ones((2,))", "tensor([1., 1.], float32)"),
    "zeros": ("zeros((2,), dtype=xp.int32)", "tensor([0, 0], int32)"),
    "fft": ("fft.fft(xp.asarray([1.0, 0.0]))", "tensor([1.+0.j, 1.+0.j], complex64)"),
    "ifft": ("fft.ifft(xp.asarray([2 + 0j, 0]))", "tensor([1.+0.j, 1.+0.j], complex64)"),
    "rfft": (
        "fft.rfft(xp.asarray([1.0, 1.0, 1.0, 1.0]))", "tensor([4.+0.j, 0.+0.j, 0.+0.j], complex64)",
    ),
    "irfft": ("fft.irfft(xp.asarray([4 + 0j, 0, 0]))", "tensor([1., 1., 1., 1.], float32)"),
    "hfft": ("fft.hfft(xp.asarray([4 + 0j, 0, 0]))", "tensor([4., 4., 4., 4.], float32)"),
    "ihfft": ("fft.ihfft(xp.asarray([1.0, 1.0]))", "tensor([1.+0.j, 0.+0.j], complex64)"),
    "fftn": ("fft.fftn(xp.ones((1, 2)))", "tensor([[2.+0.j, 0.+0.j]], complex64)"),
    "ifftn": ("fft.ifftn(xp.ones((1, 2)))", "tensor([[1.+0.j, 0.+0.j]], complex64)"),
    "rfftn": ("fft.rfftn(xp.ones((1, 2)))", "tensor([[2.+0.j, 0.+0.j]], complex64)"),
    "irfftn": ("fft.irfftn(xp.asarray([[4 + 0j, 0]]))", "tensor([[2., 2.]], float32)"),
    "fftshift": ("fft.fftshift(xp.arange(5))", "tensor([3, 4, 0, 1, 2], int64)"),
    "ifftshift": ("fft.ifftshift(xp.arange(5))", "tensor([2, 3, 4, 0, 1], int64)"),
    "fftfreq": ("fft.fftfreq(3, d=0.5)", "tensor([ 0.0000,  0.6667, -0.6667], float32)"),
    "rfftfreq": ("fft.rfftfreq(3, d=0.5)", "tensor([0.0000, 0.6667], float32)"),
}  # fmt: skip


def documented(name: str, text: str) -> str:
    """A docstring with the example of a function.

    >>> documented("maximum", "The greater.").splitlines()[-1]
    'tensor([3., 5.], dtype=srcgrad.float32)'
    """
    call, result = EXAMPLES[name]
    if result.startswith("tensor"):
        values, _, dtype = result.rpartition(" ")
        result = f"{values} dtype=srcgrad.{dtype}"
    return f"{text}\n\n>>> from srcgrad import array_api as xp\n>>> xp.{call}\n{result}\n"
