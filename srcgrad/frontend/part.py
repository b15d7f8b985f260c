"""What the parts of the interpreter are mixed into it by.

For the type checker a part may use everything that the interpreter has; at run time this is an
empty class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn


class Part:
    """A mixin of the interpreter."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

        def refuse(
            self, node: Any, reason: str, way_out: str = "", like: Any = None
        ) -> NoReturn: ...
