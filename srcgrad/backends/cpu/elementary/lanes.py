"""The text of an LLVM function of one double, or of a vector of doubles, lane by lane."""

from __future__ import annotations

import struct
from collections.abc import Sequence


def bits(x: float) -> int:
    """The bits of a double."""
    return struct.unpack("<Q", struct.pack("<d", x))[0]


class Lanes:
    """Instructions on `n` doubles; a float or an int as an operand is that constant in each lane.

    >>> w = Lanes(2)
    >>> w.add("%x", 1.0)
    '%v1'
    >>> w.lines
    ['  %v1 = fadd <2 x double> %x, <double 0x3FF0000000000000, double 0x3FF0000000000000>']
    """

    def __init__(self, n: int):
        self.n = n
        self.lines: list[str] = []
        self.declared: set[str] = set()
        self.count = 0
        self.doubles, self.integers, self.booleans = map(self.vector, ("double", "i64", "i1"))

    def vector(self, kind: str) -> str:
        return kind if self.n == 1 else f"<{self.n} x {kind}>"

    def do(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"  %v{self.count} = {text}")
        return f"%v{self.count}"

    def _constant(self, kind: str, text: str) -> str:
        return text if self.n == 1 else f"<{', '.join([f'{kind} {text}'] * self.n)}>"

    def double(self, a: str | float) -> str:
        return a if isinstance(a, str) else self._constant("double", f"0x{bits(a):016X}")

    def integer(self, a: str | int) -> str:
        return a if isinstance(a, str) else self._constant("i64", str(a))

    def put(self, text: str) -> None:
        self.lines.append("  " + text)

    def start(self, label: str) -> None:
        self.lines.append(f"{label}:")

    # ---- lanes ----
    def any(self, conditions: str) -> str:
        """Whether a condition is true in some lane."""
        if self.n == 1:
            return conditions
        symbol = f"@llvm.vector.reduce.or.v{self.n}i1"
        self.declared.add(f"declare i1 {symbol}({self.booleans})")
        return self.do(f"call i1 {symbol}({self.booleans} {conditions})")

    def lane(self, a: str, k: int) -> str:
        return a if self.n == 1 else self.do(f"extractelement {self.doubles} {a}, i64 {k}")

    def with_lane(self, a: str, k: int, value: str) -> str:
        """`a` with this value in a lane."""
        if self.n == 1:
            return value
        return self.do(f"insertelement {self.doubles} {a}, double {value}, i64 {k}")

    # ---- doubles ----
    def _binary(self, name: str, a: str | float, b: str | float) -> str:
        return self.do(f"{name} {self.doubles} {self.double(a)}, {self.double(b)}")

    def add(self, a: str | float, b: str | float) -> str:
        return self._binary("fadd", a, b)

    def sub(self, a: str | float, b: str | float) -> str:
        return self._binary("fsub", a, b)

    def mul(self, a: str | float, b: str | float) -> str:
        return self._binary("fmul", a, b)

    def div(self, a: str | float, b: str | float) -> str:
        return self._binary("fdiv", a, b)

    def neg(self, a: str) -> str:
        return self.do(f"fneg {self.doubles} {a}")

    def fma(self, a: str | float, b: str | float, c: str | float) -> str:
        """a * b + c, rounded once."""
        return self._intrinsic("fma", a, b, c)

    def abs(self, a: str) -> str:
        return self._intrinsic("fabs", a)

    def copysign(self, a: str, sign: str) -> str:
        return self._intrinsic("copysign", a, sign)

    def _intrinsic(self, name: str, *args: str | float) -> str:
        symbol = f"@llvm.{name}.{'' if self.n == 1 else f'v{self.n}'}f64"
        self.declared.add(
            f"declare {self.doubles} {symbol}({', '.join([self.doubles] * len(args))})"
        )
        passed = ", ".join(f"{self.doubles} {self.double(a)}" for a in args)
        return self.do(f"call {self.doubles} {symbol}({passed})")

    def sum(self, a: str | float, b: str | float) -> tuple[str, str]:
        """a + b, and its rounding error (Knuth's two-sum)."""
        total = self.add(a, b)
        added = self.sub(total, a)
        return total, self.add(self.sub(a, self.sub(total, added)), self.sub(b, added))

    def polynomial(self, x: str, coefficients: Sequence[float]) -> str:
        """c[0] + c[1] x + c[2] x**2 + …, in pairs of pairs (Estrin's scheme): short chains."""
        terms: list[str] = [self.double(c) for c in coefficients]
        while True:
            pairs = list(zip(terms[::2], terms[1::2], strict=False))
            terms = [self.fma(b, x, a) for a, b in pairs] + terms[2 * len(pairs) :]
            if len(terms) == 1:
                return terms[0]
            x = self.mul(x, x)

    def series(self, start: str, factor: str, x: str, coefficients: Sequence[float]) -> str:
        """start + factor (c[0] + c[1] x + …), by a chain that is one multiplication shorter."""
        square = self.mul(x, x)
        later = self.mul(self.mul(square, square), factor)
        first = self.fma(factor, self.polynomial(x, coefficients[:4]), start)
        return self.fma(later, self.polynomial(x, coefficients[4:]), first)

    # ---- comparisons: i1 in each lane ----
    def compare(self, how: str, a: str, b: str | float) -> str:
        return self.do(f"fcmp {how} {self.doubles} {a}, {self.double(b)}")

    def either(self, a: str, b: str) -> str:
        return self.do(f"or {self.booleans} {a}, {b}")

    def odd(self, a: str) -> str:
        return self.do(f"trunc {self.integers} {a} to {self.booleans}")

    def choose(self, condition: str, a: str | float, b: str | float) -> str:
        kind = self.doubles
        return self.do(
            f"select {self.booleans} {condition}, {kind} {self.double(a)}, {kind} {self.double(b)}"
        )

    # ---- bits ----
    def bits_of(self, a: str) -> str:
        return self.do(f"bitcast {self.doubles} {a} to {self.integers}")

    def from_bits(self, a: str) -> str:
        return self.do(f"bitcast {self.integers} {a} to {self.doubles}")

    def whole(self, name: str, a: str | int, b: str | int) -> str:
        """An operation of integers: `add`, `sub`, `shl`, `lshr`, `and`, `or`, `xor`."""
        return self.do(f"{name} {self.integers} {self.integer(a)}, {self.integer(b)}")
