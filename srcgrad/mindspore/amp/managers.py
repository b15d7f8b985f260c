"""Managers of a loss scale: the initial scale, and the cell that adjusts it."""

from __future__ import annotations

from typing import Any

from srcgrad.errors import ArgumentValueError


class LossScaleManager:
    """The base of managers: `get_loss_scale`, `update_loss_scale`, `get_update_cell`.

    >>> import srcgrad as flow
    >>> isinstance(flow.amp.FixedLossScaleManager(), flow.amp.LossScaleManager)
    True
    """

    def get_loss_scale(self) -> Any:
        """The current scale."""
        raise NotImplementedError  # each kind of manager has its own

    def update_loss_scale(self, overflow: bool) -> None:
        """Adjusts the scale after a step that overflowed, or not."""

    def get_update_cell(self) -> Any:
        """The cell that adjusts the scale in a training step; None if nothing adjusts it."""


class FixedLossScaleManager(LossScaleManager):
    """A constant scale.

    >>> import srcgrad as flow
    >>> flow.amp.FixedLossScaleManager(1024.0, False).get_loss_scale()
    1024.0
    """

    def __init__(self, loss_scale: float = 128.0, drop_overflow_update: bool = True) -> None:
        if loss_scale < 1:
            raise ArgumentValueError(
                f"The argument 'loss_scale' must be >= 1, but got {loss_scale}"
            )
        self._scale, self._drop = loss_scale, drop_overflow_update

    def get_loss_scale(self) -> float:
        return self._scale

    def get_drop_overflow_update(self) -> bool:
        """Whether a step that overflows is skipped."""
        return self._drop

    def get_update_cell(self) -> Any:
        from srcgrad.mindspore.nn.scaling import FixedLossScaleUpdateCell

        return FixedLossScaleUpdateCell(self._scale) if self._drop else None


class DynamicLossScaleManager(LossScaleManager):
    """A scale divided by a factor at an overflow, and multiplied after a window without one.

    >>> import srcgrad as flow
    >>> manager = flow.amp.DynamicLossScaleManager(1024.0)
    >>> manager.update_loss_scale(True)
    >>> manager.get_loss_scale()
    512.0
    """

    loss_scale: float
    scale_factor: int
    scale_window: int

    def __init__(
        self, init_loss_scale: float = 2**24, scale_factor: int = 2, scale_window: int = 2000
    ) -> None:
        if init_loss_scale < 1:
            raise ArgumentValueError(
                f"The argument 'init_loss_scale' must be >= 1, but got {init_loss_scale}"
            )
        self.loss_scale, self.scale_factor = init_loss_scale, scale_factor
        self.scale_window, self._good = scale_window, 0

    def get_loss_scale(self) -> float:
        return self.loss_scale

    def update_loss_scale(self, overflow: bool) -> None:
        if overflow:
            self.loss_scale, self._good = max(self.loss_scale / self.scale_factor, 1), 0
            return
        self._good += 1
        if self._good >= self.scale_window:
            self.loss_scale, self._good = self.loss_scale * self.scale_factor, 0

    def get_drop_overflow_update(self) -> bool:
        """Whether a step that overflows is skipped: always."""
        return True

    def get_update_cell(self) -> Any:
        from srcgrad.mindspore.nn.scaling import DynamicLossScaleUpdateCell

        return DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)
