"""What is expected of a program that must fail, read from a comment on the line that fails.

    @program(vec(3))
    def opened(x):
        with open("file") as f:  # error: UnsupportedError: with
            ...

The comment names the class (srcgrad's, a builtin that it inherits from, or the user's own) and a
fragment of the text; `...` in a fragment stands for anything, and `as plain Python says` for the
text that plain Python raises, which is another in another version. The error has to report this
line, unless the comment says `# error, no line:` as for an argument, which has none. The line may
stand in a helper above the program. Each program is run by `grad` at position 0; compiled and
called with `how="call"`; called as it is with `how="plain"`.
"""

import builtins
import copy
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

COMMENT = re.compile(r"#\s*error(?P<bare>, no line)?: (?P<cls>\w+): (?P<fragment>.*)$")
PROGRAMS: list["Program"] = []


@dataclass(frozen=True, eq=False)
class Program:
    """One failing program. `line` is None when no place is to be reported."""

    fn: Callable[..., Any]
    args: tuple[Any, ...]
    how: str
    position: int | tuple[int, ...]
    cls: str
    fragment: str
    file: str
    line: int | None

    @property
    def id(self) -> str:
        return f"{self.fn.__module__.rpartition('.')[2]}.{self.fn.__name__}"

    def expected_class(self) -> type[BaseException]:
        from srcgrad import errors

        scopes = (vars(errors), vars(builtins), inspect.unwrap(self.fn).__globals__)
        return next(scope[self.cls] for scope in scopes if self.cls in scope)

    @property
    def says_plain_text(self) -> bool:
        """Whether the text is what plain Python raises, in the version that runs."""
        return self.fragment == "as plain Python says"

    def plain_text(self) -> str:
        """The text of what plain Python raises."""
        try:
            self.fn(*copy.deepcopy(self.args))
        except Exception as error:
            return str(error)
        raise AssertionError(f"plain Python does not raise in {self.id}")

    def matches(self, text: str) -> bool:
        """Whether the fragment occurs; letters' case and line breaks do not count.

        A text shows the line with its comment, which would always match itself: it does not count.
        """
        text = "\n".join(line for line in text.splitlines() if not COMMENT.search(line))
        fragments = (
            [" ".join(self.plain_text().split())]
            if self.says_plain_text
            else self.fragment.split("...")
        )
        parts = [re.escape(part.strip()) for part in fragments]
        return re.search(".*".join(parts), " ".join(text.split()), re.IGNORECASE) is not None


def program(
    *args: Any, how: str = "grad", position: int | tuple[int, ...] = 0
) -> Callable[[Any], Any]:
    """Register the decorated function; its comment lies between the last program and its end."""

    def register(fn: Any) -> Any:
        source = inspect.unwrap(fn)
        file = inspect.getsourcefile(source)
        assert file is not None
        lines, first = inspect.getsourcelines(source)
        with open(file, encoding="utf-8") as text:
            whole = text.read().splitlines()
        start = next((_end(p) for p in reversed(PROGRAMS) if p.file == file), 0)
        found = [
            (number, match)
            for number in range(start + 1, first + len(lines))
            if (match := COMMENT.search(whole[number - 1]))
        ]
        assert len(found) == 1, f"{fn.__name__} has {len(found)} comments that say `# error:`"
        number, match = found[0]
        line = None if match["bare"] else number
        PROGRAMS.append(
            Program(fn, args, how, position, match["cls"], match["fragment"].strip(), file, line)
        )
        return fn

    return register


def _end(previous: Program) -> int:
    lines, first = inspect.getsourcelines(inspect.unwrap(previous.fn))
    return first + len(lines) - 1
