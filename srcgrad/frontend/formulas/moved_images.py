"""Images that are shifted, zoomed, rotated or transformed: their values at other coordinates.

Each is `map_coordinates` at the coordinates of SciPy, computed in its order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage

from srcgrad.frontend.formulas.coordinates import map_coordinates
from srcgrad.frontend.formulas.registry import OfTheRun, known, place, stands_for, unsupported


def _image(x: Any) -> Any:
    x = np.asarray(x)
    if x.ndim < 1:
        raise RuntimeError("input and output rank must be > 0")
    if x.dtype.kind == "c":
        unsupported("complex images are not supported here", "transform .real and .imag")
    return x


def _each(v: Any, count: int) -> list:
    """A number for each axis."""
    if np.ndim(v) == 0:
        return [v * 1.0 for _ in range(count)]
    if known(len(v)) != count:
        raise RuntimeError("sequence argument must have length equal to input rank")
    return [v[k] * 1.0 for k in range(count)]


def _at(lines: list) -> Any:
    """The coordinates of a grid, by those along each axis."""
    return np.stack(np.meshgrid(*lines, indexing="ij"))


@stands_for(ndimage.shift)
def shift(
    input: Any, shift: Any, output: Any = None, order: Any = 3, mode: Any = "constant",
    cval: Any = 0.0, prefilter: Any = True,
) -> Any:  # fmt: skip
    """An image moved by a number of pixels along each axis.

    >>> shift(np.array([1.0, 3.0, 5.0]), 0.5, order=1)
    array([0., 2., 4.])
    """
    x = _image(input)
    by = _each(shift, x.ndim)
    lines = [np.arange(x.shape[k]) - by[k] for k in range(x.ndim)]
    return map_coordinates(x, _at(lines), output, order, mode, cval, prefilter)


@stands_for(ndimage.zoom)
def zoom(
    input: Any, zoom: Any, output: Any = None, order: Any = 3, mode: Any = "constant",
    cval: Any = 0.0, prefilter: Any = True, *, grid_mode: Any = False,
) -> Any:  # fmt: skip
    """An image with a multiple of its pixels along each axis.

    >>> zoom(np.array([1.0, 3.0]), 1.5, order=1)
    array([1., 2., 3.])
    """
    x = _image(input)
    by, lines = _each(zoom, x.ndim), []
    for k in range(x.ndim):
        n = x.shape[k]
        many = round(n * by[k])
        whole = 0 if known(grid_mode) else 1
        ratio = (n - whole) / (many - whole) if many != whole else 1.0
        line = np.arange(many) * 1.0
        lines.append((line + 0.5) * ratio - 0.5 if known(grid_mode) else line * ratio)
    return map_coordinates(x, _at(lines), output, order, mode, cval, prefilter)


@stands_for(ndimage.affine_transform)
def affine_transform(
    input: Any, matrix: Any, offset: OfTheRun = 0.0, output_shape: Any = None, output: Any = None,
    order: Any = 3, mode: Any = "constant", cval: Any = 0.0, prefilter: Any = True,
) -> Any:  # fmt: skip
    """An image whose pixel at o is that of the input at `matrix @ o + offset`.

    >>> affine_transform(np.array([1.0, 3.0, 5.0]), np.array([[0.5]]), order=1)
    array([1., 2., 3.])
    """
    x, matrix = _image(input), np.asarray(matrix) * 1.0
    count = x.ndim
    if matrix.ndim not in (1, 2):
        raise RuntimeError("no proper affine matrix provided")
    rows = known(matrix.shape[0])
    columns = known(matrix.shape[1]) if matrix.ndim == 2 else 0
    if columns == count + 1 and rows in (count, count + 1):
        offset, matrix, rows = matrix[:count, count], matrix[:count, :count], count
    if rows != count:
        raise RuntimeError("affine matrix has wrong number of rows")
    shape = x.shape if output_shape is None else tuple(output_shape)
    moved = _each(offset, count)
    if matrix.ndim == 1:
        lines = [(np.arange(shape[k]) + moved[k] / matrix[k]) * matrix[k] for k in range(count)]
        return map_coordinates(x, _at(lines), output, order, mode, cval, prefilter)
    if matrix.shape[1] != len(shape):
        raise RuntimeError("affine matrix has wrong number of columns")
    places = _at([np.arange(n) * 1.0 for n in shape])
    coordinates = []
    for k in range(count):
        along = moved[k] + 0.0 * places[0]
        for j in range(len(shape)):
            along = along + places[j] * matrix[k, j]
        coordinates.append(along)
    return map_coordinates(x, np.stack(coordinates), output, order, mode, cval, prefilter)


@stands_for(ndimage.rotate)
def rotate(
    input: Any, angle: Any, axes: Any = (1, 0), reshape: Any = True, output: Any = None,
    order: Any = 3, mode: Any = "constant", cval: Any = 0.0, prefilter: Any = True,
) -> Any:  # fmt: skip
    """An image of two axes, turned by an angle in degrees.

    >>> rotate(np.array([[1.0, 2.0], [3.0, 4.0]]), 90.0, order=1)
    array([[2., 4.],
           [1., 3.]])
    """
    x = _image(input)
    if x.ndim != 2:
        return unsupported("rotate of an image that has not two axes", "rotate each plane")
    if sorted([place(known(k), 2) for k in axes]) != [0, 1]:
        raise ValueError("invalid rotation plane specified")
    c, s = _of_degrees(angle)
    n, m = x.shape
    shape = (n, m)
    if known(reshape):
        ends = ((0.0, m * s, n * c, n * c + m * s), (0.0, m * c, -n * s, m * c - n * s))
        shape = tuple([int(max(along) - min(along) + 0.5) for along in ends])
    turned = np.array([[c, s], [-s, c]])
    centre = turned @ ((np.array(shape) - 1) / 2)
    offset = np.array([(n - 1) / 2, (m - 1) / 2]) - centre
    return affine_transform(x, turned, offset, shape, output, order, mode, cval, prefilter)


def _of_degrees(angle: Any) -> tuple[Any, Any]:
    """The cosine and the sine of an angle in degrees, which right angles have exactly.

    >>> [float(v) for v in _of_degrees(450.0)]
    [0.0, 1.0]
    """
    quarters = np.rint(angle / 90.0)
    rest = np.deg2rad(angle - 90.0 * quarters)
    c, s, turns = np.cos(rest), np.sin(rest), quarters - 4.0 * np.floor(quarters / 4.0)
    odd, sign = (turns == 1.0) | (turns == 3.0), np.where(turns >= 2, -1.0, 1.0)
    return sign * np.where(odd, 0.0 - s, c), sign * np.where(odd, c, s)
